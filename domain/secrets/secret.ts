// Secrets of a workspace's skills: a name whose value can be given and never be read again but by the script of an active skill.
import * as z from "zod";
import { fieldRefusal } from "../kernel/refusal.ts";
import { environmentLimits } from "../skills/limits.ts";
import type { AuditEntry } from "../workspace/audit.ts";

const descriptionLength = 500;

export const secretDescription = z
  .string()
  .max(descriptionLength, `must have at most ${descriptionLength} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a range is read by every language for which a client is generated, and \p{Cc} by few
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, "must be one line without control characters");

const { secretBytes } = environmentLimits;

/** A key in PEM has several lines; a byte 0 ends a variable. */
export const secretValue = z
  .string()
  .min(1, "must not be empty")
  .refine((text) => Buffer.byteLength(text) <= secretBytes, `must have at most ${secretBytes} bytes`)
  .refine(
    (text) => !/[^\P{Cc}\t\n\r]|\p{Surrogate}/u.test(text),
    "must have no control characters but tabs and line ends",
  );

export const secretSchema = z
  .object({
    name: z.string().describe("Name of the secret"),
    description: z.string().optional().describe("What the secret is for"),
    created_by: z.string().describe("`user_id` of the person who created the secret"),
    created_at: z.iso.datetime().describe("When the secret was created"),
    updated_at: z.iso.datetime().describe("When the secret's value was last set"),
    set_by: z.string().describe("`user_id` of the person who last set the secret's value"),
    used_by: z
      .array(z.string())
      .describe("Names of the skills that use the secret. Only skills that the caller may see are listed"),
  })
  .meta({ id: "SkillSecret", description: "A secret, without its value" });

export const secretRecordSchema = secretSchema.omit({ used_by: true }).extend({
  tenant_id: z.string(),
  /** Made with the secret: one that was removed and made again is another one. */
  secret_id: z.string(),
  /** Made with each value. */
  value_id: z.string(),
  /** The value under the tenant's key, as `SecretSealer` gave it; missing once it is removed. */
  sealed: z.string().optional(),
  /** The number of changes, by which each write is conditional. */
  revision: z.int(),
  /** Set on the mark that a removed secret leaves, so that its removal can be repeated. */
  removed_at: z.iso.datetime().optional(),
});

export type SecretRecord = z.output<typeof secretRecordSchema>;

export interface SecretStore {
  /** Lists the secrets in the order of their names, without the marks of removed ones. */
  list(tenantId: string): Promise<SecretRecord[]>;
  /** Finds a secret, or the mark that a removed one leaves. */
  get(tenantId: string, name: string): Promise<SecretRecord | undefined>;
  /** @param more how many more or fewer secrets the workspace has */
  write(secret: SecretRecord, entry: AuditEntry, more?: 1 | -1): Promise<"written" | "outrun" | "full">;
}

/** A value under the tenant's key is bound to its purpose, its workspace and its name: for any other one it cannot be opened. */
export type SealedFor = { tenantId: string; name: string };

export interface SecretSealer {
  /** @throws Refusal workspace_incomplete while the workspace has no key yet */
  seal(secret: SealedFor, value: string): Promise<string>;
}

/** Seals with one key, by its ARN. */
export interface KeyedSealer {
  seal(keyArn: string, secret: SealedFor, value: string): Promise<string>;
}

/** Opens sealed secrets. The function `runner` alone can. */
export interface SecretOpener {
  open(secret: SealedFor, sealed: string): Promise<string>;
}

/** The encryption context by which the policy of the tenants' keys knows secrets of skills. */
export const sealingPurpose = { purpose: "skill-secret" } as const;

export function sealingContext({ tenantId, name }: SealedFor): Record<string, string> {
  return { ...sealingPurpose, tenant_id: tenantId, name };
}

/** @throws Refusal not_found */
export function noSecret(): never {
  throw fieldRefusal("not_found", "name", "there is no secret of this name here");
}

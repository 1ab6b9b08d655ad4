// API keys: `ar_live_<key id>_<secret><checksum>`. Shape and checksum tell a real key from junk without any look-up.
import { crc32 } from "node:zlib";
import * as z from "zod";
import { displayName } from "../kernel/display-name.ts";
import type { Page, PageRequest } from "../kernel/page.ts";
import { fields } from "../kernel/validation.ts";
import type { AuditEntry } from "../workspace/audit.ts";
import { tenantRoles } from "../workspace/user.ts";
import { grantBody, grantSchema } from "./grant.ts";

export const apiKeyModes = ["live", "test"] as const;
export type ApiKeyMode = (typeof apiKeyModes)[number];

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const keyIdLength = 12;
/** 190 bits. */
const secretLength = 32;
/** 62^6 > 2^32 */
const checksumLength = 6;

/** A caller is a person's sub, which is a UUID, or a service account's id. */
export const serviceAccountPrefix = "sa_";

export function isServiceAccount(callerId: string): boolean {
  return callerId.startsWith(serviceAccountPrefix);
}

/** bcrypt, by which keys are hashed, reads no more; a key is shorter, so all of it counts. */
export const maxApiKeyBytes = 72;

/** Of one caller, a person or a service account: what ends a caller's keys at once is one transaction, of 100 items at the most. */
export const maxActiveKeys = 50;

export const apiKeySchema = z.object({
  key_id: z.string().length(keyIdLength),
  tenant_id: z.uuid(),
  name: z.string(),
  mode: z.enum(apiKeyModes),
  /** bcrypt, of the whole key. */
  hash: z.string(),
  last4: z.string().length(4),
  role: z.enum(tenantRoles),
  /** Who spends: the person's sub, or `sa_...` for a service account, which outlives a rotation of the key. */
  caller_id: z.string(),
  scope: z.literal("proxy:invoke"),
  status: z.enum(["active", "revoked"]),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().optional(),
  revoked_at: z.iso.datetime().optional(),
  /** The id of the key that a rotation put in its place. */
  replaced_by: z.string().optional(),
  /** A service account's limits; a person's key spends the person's grant. */
  grant: grantSchema.optional(),
  /** Each change of the record moves it; 0 for a key that is older than versions and was not changed since. */
  version: z.int(),
});

export type ApiKey = z.infer<typeof apiKeySchema>;

export const apiKeyName = displayName.min(1, "must have 1 to 100 characters").max(100, "must have 1 to 100 characters");

export const apiKeyEnd = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 time, e.g. 2027-01-31T12:00:00Z" })
  .transform((time) => new Date(time).toISOString())
  // An offset can lead beyond the four digits of a year, which no date of ISO 8601 has.
  .refine((time) => /^\d{4}-/.test(time), "must be before the year 10000");

/** The body of POST /v1/keys. A person's key spends the person's grant; a service account's brings its own limits. */
export const apiKeyBody = fields({
  name: apiKeyName,
  kind: z.enum(["service_account", "personal"]).default("personal"),
  mode: z.enum(apiKeyModes).default("live"),
  expires_at: apiKeyEnd.optional(),
  grant: grantBody.optional(),
}).superRefine(({ kind, grant }, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", path: ["grant"], message });
  if (kind === "service_account" && !grant) refuse("is required for a service account: its limits");
  if (kind === "personal" && grant) refuse("is only for service accounts; a personal key spends its owner's grant");
});

/** What a rotation writes. */
export type ApiKeyRotation = {
  /** As it was read: the rotation is refused if it has changed since then. */
  old: ApiKey;
  /** ISO 8601; the old key is good until then. */
  oldEndsAt: string;
  successor: ApiKey;
};

/** Each change takes the entry of the audit trail that is written with it; what changes nothing writes none. */
export interface ApiKeyStore {
  get(keyId: string): Promise<ApiKey | undefined>;
  /**
   * `taken`: there is a key of this id. `full`: the tenant has as many service accounts as it may, or the person as many
   * active keys. `no_member`: the person is no active member of the tenant any more.
   */
  create(
    key: ApiKey,
    maxServiceAccounts: number,
    entry: AuditEntry,
  ): Promise<"created" | "taken" | "full" | "no_member">;
  /**
   * Writes name, end and grant of the key; a grant goes to all keys of its service account that are not revoked.
   * `changed`: it is not active any more, or no longer as it was read. `full`: the key is older than the count of its caller's
   * active keys, and that has no room for it.
   */
  update(before: ApiKey, after: ApiKey, entry: AuditEntry): Promise<"updated" | "changed" | "full">;
  /** `full`: the caller has as many active keys as it may. */
  rotate(
    rotation: ApiKeyRotation,
    now: number,
    entry: AuditEntry,
  ): Promise<"rotated" | "taken" | "full" | "changed" | "no_member">;
  /**
   * A service account's place is free again with its last key that is good. A revoked key stays as it is. False if there is no such key;
   * the version that it has, if that is none of those asked for.
   * @param callerId only this caller's keys count, if given
   * @param ifMatch versions of which the key must have one; any if not given
   */
  revoke(
    tenantId: string,
    keyId: string,
    callerId: string | undefined,
    now: number,
    entry: AuditEntry,
    ifMatch?: readonly string[],
  ): Promise<boolean | { version: string }>;
  list(tenantId: string, callerId: string | undefined, page: PageRequest): Promise<Page<ApiKey>>;
}

/** Gives `size` random bytes. */
export type Random = (size: number) => Uint8Array;

export type MintedApiKey = { key_id: string; key: string; last4: string };

export function mintApiKeyId(random: Random): string {
  return base62(keyIdLength, random);
}

/** A new key. Its text is to be shown once and stored nowhere. */
export function mintApiKey(mode: ApiKeyMode, keyId: string, random: Random): MintedApiKey {
  const body = `ar_${mode}_${keyId}_${base62(secretLength, random)}`;
  const key = body + checksum(body);
  return { key_id: keyId, key, last4: key.slice(-4) };
}

const shape = new RegExp(
  `^ar_(live|test)_([0-9A-Za-z]{${keyIdLength}})_[0-9A-Za-z]{${secretLength + checksumLength}}$`,
);

/** Mode and id of a well-formed key, or undefined. It says nothing on whether the key exists. */
export function parseApiKey(text: string): { mode: ApiKeyMode; key_id: string } | undefined {
  const [, mode, keyId] = shape.exec(text) ?? [];
  if (!mode || !keyId) return undefined;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  return { mode: mode as ApiKeyMode, key_id: keyId };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

function base62(length: number, random: Random): string {
  // A byte from 248 on is thrown away: 248 is four times 62, so every digit stays equally likely.
  const fair = 256 - (256 % alphabet.length);
  let digits = "";
  while (digits.length < length) {
    for (const byte of random(length)) {
      if (byte < fair && digits.length < length) digits += alphabet.charAt(byte % alphabet.length);
    }
  }
  return digits;
}

// An API key as it is stored, and the interface of its store. The text of a key is in key-text.ts.
import * as z from "zod";
import { displayName } from "../kernel/display-name.ts";
import type { Page, PageRequest } from "../kernel/page.ts";
import { tenantRole } from "../people/user.ts";
import type { AuditEntry } from "../workspace/audit.ts";
import { grantSchema } from "./grant.ts";

const apiKeyModes = ["live", "test"] as const;
export type ApiKeyMode = (typeof apiKeyModes)[number];

export const apiKeyMode = z
  .enum(apiKeyModes, { error: () => `must be one of ${apiKeyModes.join(", ")}` })
  .meta({ id: "ApiKeyMode", description: "Whether the key's text begins with `ar_live_` or `ar_test_`" });

/** Characters of a key's id. */
export const keyIdLength = 12;

/** A caller is a person's sub, which is a UUID, or a service account's id. */
export const serviceAccountPrefix = "sa_";

export function isServiceAccount(callerId: string): boolean {
  return callerId.startsWith(serviceAccountPrefix);
}

export const apiKeySchema = z.object({
  key_id: z.string().length(keyIdLength).describe("Id of the key. The key's text begins with `ar_<mode>_<key_id>_`"),
  tenant_id: z.uuid().describe("Id of the key's workspace"),
  name: z.string().describe("Name of the key, for people"),
  mode: apiKeyMode.describe("The prefix of the key's text: `live` for `ar_live_`, `test` for `ar_test_`"),
  hash: z.string().describe("bcrypt hash of the whole key"),
  last4: z.string().length(4).describe("The last four characters of the key's text"),
  role: tenantRole.describe("Role of the caller in the workspace"),
  caller_id: z
    .string()
    .describe(
      "The caller whose budget the key spends: a person's `user_id`, or a service account's `sa_...`. A rotation does not change it",
    ),
  scope: z.literal("proxy:invoke").describe("What the key may do: call models"),
  status: z.enum(["active", "revoked"]).describe("Whether the key is active or revoked"),
  created_by: z.string().describe("`user_id` of the person who created the key"),
  created_at: z.iso.datetime().describe("When the key was created"),
  expires_at: z.iso.datetime().optional().describe("When the key expires. Missing for a key that never expires"),
  revoked_at: z.iso.datetime().optional().describe("When the key was revoked"),
  replaced_by: z.string().optional().describe("`key_id` of the key that replaced this one in a rotation"),
  grant: grantSchema
    .optional()
    .describe("Limits of a service account. Missing for a person's key, which spends the person's grant"),
  version: z.int().describe("Version of the key's record. Each change adds 1"),
});

export type ApiKey = z.infer<typeof apiKeySchema>;

export const apiKeyName = displayName.min(1, "must have 1 to 100 characters").max(100, "must have 1 to 100 characters");

export const apiKeyEnd = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 time, e.g. 2027-01-31T12:00:00Z" })
  .transform((time) => new Date(time).toISOString())
  // Conversion to UTC can lead to a year of five digits.
  .refine((time) => /^\d{4}-/.test(time), "must be before the year 10000");

/** The status of a key follows from the time: a key past its end stays expired for ever. */
const apiKeyStatuses = ["active", "expired", "revoked"] as const;
export const apiKeyStatus = z
  .enum(apiKeyStatuses, { error: () => `must be one of ${apiKeyStatuses.join(", ")}` })
  .meta({ id: "ApiKeyStatus", description: "Status of a key" });

export type ApiKeyStatus = (typeof apiKeyStatuses)[number];

/** @param now in milliseconds */
export function statusAt(key: ApiKey, now: number): ApiKeyStatus {
  if (key.status === "revoked") return "revoked";
  return isActive(key, now) ? "active" : "expired";
}

/** @param now in milliseconds */
export function isActive({ status, expires_at }: ApiKey, now: number): boolean {
  return status === "active" && !isPast(expires_at, now);
}

/** Whether an end is over. A key without an end never is past it. */
export function isPast(end: string | undefined, now: number): boolean {
  return end !== undefined && Date.parse(end) <= now;
}

/** @param end null removes the end, undefined keeps it */
export function withEnd(key: ApiKey, end: string | null | undefined): ApiKey {
  if (end === undefined) return key;
  const { expires_at: _before, ...endless } = key;
  return end === null ? endless : { ...endless, expires_at: end };
}

export function versionOf({ version }: ApiKey): string {
  return String(version);
}

/** The writes of a rotation. */
export type ApiKeyRotation = {
  /** The old key as it was read. The rotation is refused if the key has changed since. */
  old: ApiKey;
  /** ISO 8601; the old key is valid until then. */
  oldEndsAt: string;
  successor: ApiKey;
};

/** Each change takes the audit entry that is written with it. A call that changes nothing writes no entry. */
/** Which keys a list holds: all that are not excluded by a named field. @property now in milliseconds, for what has expired */
export type ApiKeyFilter = {
  callerId?: string | undefined;
  mode?: ApiKeyMode | undefined;
  status?: ApiKeyStatus | undefined;
  /** Leaves out keys that have an end and were created after this time, in ISO 8601. */
  noEndOrBefore?: string | undefined;
  now: number;
};

export interface ApiKeyStore {
  get(keyId: string): Promise<ApiKey | undefined>;
  /** The tenant's keys of these ids, in their order; an id that is none of them is left out. */
  many(tenantId: string, keyIds: readonly string[]): Promise<ApiKey[]>;
  /**
   * `taken`: a key of this id exists. `full`: the tenant has `maxServiceAccounts`, or the caller has `maxActiveKeys`.
   * `no_member`: the person is no active member of the tenant any more.
   */
  create(
    key: ApiKey,
    maxServiceAccounts: number,
    entry: AuditEntry,
  ): Promise<"created" | "taken" | "full" | "no_member">;
  /**
   * Writes name, end and grant of the key. A grant is written to all active keys of the service account.
   * `changed`: the key is not active any more, or no longer as it was read.
   */
  update(before: ApiKey, after: ApiKey, entry: AuditEntry): Promise<"updated" | "changed">;
  /** `full`: the caller has `maxActiveKeys`. */
  rotate(
    rotation: ApiKeyRotation,
    now: number,
    entry: AuditEntry,
  ): Promise<"rotated" | "taken" | "full" | "changed" | "no_member">;
  /**
   * The last active key of a service account frees the account's place. A revoked key stays as it is.
   * @returns false if there is no such key; the key's version if it is none of the expected ones
   * @param callerId if given, keys of other callers are treated as missing
   * @param expected versions of which the key must have one; undefined accepts any
   */
  revoke(
    tenantId: string,
    keyId: string,
    callerId: string | undefined,
    now: number,
    entry: AuditEntry,
    expected?: readonly string[],
  ): Promise<boolean | { version: string }>;
  list(tenantId: string, filter: ApiKeyFilter, page: PageRequest): Promise<Page<ApiKey>>;
}

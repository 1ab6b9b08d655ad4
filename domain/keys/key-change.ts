// Changes of an API key that keep its text: a new name, end or limits, and its revocation.
import { isDeepStrictEqual } from "node:util";
import type * as z from "zod";
import type { Actor } from "../access/access-rule.ts";
import { type ApiKey, type ApiKeyStore, apiKeyEnd, apiKeyName, versionOf, withEnd } from "../access/api-key.ts";
import { checkGrant, type GrantBounds, grantBody, withUsableRegion } from "../access/grant.ts";
import { preconditionFailed, requireVersion } from "../kernel/precondition.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import { fields } from "../kernel/validation.ts";
import { entryBy } from "../workspace/audit.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import { changedMeanwhile, noSuchKey, onlyCaller, requireActiveKey, requireFuture, requireKey } from "./key-access.ts";

/** The body of PATCH /v1/keys/{key_id}. Fields that are not named stay; `expires_at: null` removes the end. */
export const apiKeyPatch = fields({
  name: apiKeyName.optional().describe("New name of the key"),
  expires_at: apiKeyEnd.nullable().optional().describe("New time of expiry; `null`: the key never expires"),
  grant: grantBody.optional().describe("New limits of the service account. They apply to all of its keys"),
})
  .refine(({ name, expires_at, grant }) => name !== undefined || expires_at !== undefined || grant !== undefined, {
    error: "names nothing to change, allowed: name, expires_at, grant",
  })
  .meta({ id: "ApiKeyPatch", description: "Changes of a key. A field that is left out keeps its value" });

export type ApiKeyPatch = z.output<typeof apiKeyPatch>;

/** Returns the changed key, or the same object if nothing of it changes. */
export function patchedKey(key: ApiKey, { name, expires_at, grant }: ApiKeyPatch): ApiKey {
  const after = { ...withEnd(key, expires_at), ...(name !== undefined && { name }), ...(grant && { grant }) };
  return isDeepStrictEqual(after, key) ? key : { ...after, version: key.version + 1 };
}

export type KeyChangeDependencies = GrantBounds & {
  apiKeys: Pick<ApiKeyStore, "get" | "update" | "revoke">;
  tenants: Pick<TenantStore, "get">;
  clock: () => number;
  newId: () => string;
};

/**
 * @param expected versions of which the key must have one
 * @throws Refusal
 */
export async function updateKey(
  deps: KeyChangeDependencies,
  actor: Actor,
  keyId: string,
  { grant, ...rest }: ApiKeyPatch,
  expected: readonly string[] | undefined,
): Promise<ApiKey> {
  const { apiKeys, tenants, clock } = deps;
  const before = await requireActiveKey(deps, actor, keyId);
  requireVersion(expected, versionOf(before));
  requireFuture(rest.expires_at, clock());
  if (grant && before.role !== "service_account") {
    const advice = "a person's key spends the person's grant: PUT /v1/grants/{dev_sub}";
    throw fieldRefusal("invalid_request", "grant", `is only for service accounts; ${advice}`);
  }
  if (grant) checkGrant(grant, deps, "grant.");
  const usable = grant && withUsableRegion(grant, (await tenants.get(actor.tenantId))?.default_region);
  const after = patchedKey(before, { ...rest, grant: usable });
  if (after === before) return before;
  const entry = entryBy(deps, actor, { action: "key.update", target: keyId, before, after });
  const outcome = await apiKeys.update(before, after, entry);
  if (outcome === "updated") return after;
  requireVersion(expected, versionOf(await requireKey(apiKeys, actor, keyId)));
  throw changedMeanwhile(keyId);
}

/**
 * Revoking a revoked key changes nothing.
 * @param expected versions of which the key must have one
 * @throws Refusal
 */
export async function revokeKey(
  deps: Pick<KeyChangeDependencies, "apiKeys" | "clock" | "newId">,
  actor: Actor,
  keyId: string,
  expected: readonly string[] | undefined,
): Promise<void> {
  const now = deps.clock();
  const after = { status: "revoked", revoked_at: new Date(now).toISOString() };
  const entry = entryBy(deps, actor, { action: "key.revoke", target: keyId, before: { status: "active" }, after });
  const outcome = await deps.apiKeys.revoke(actor.tenantId, keyId, onlyCaller(actor), now, entry, expected);
  if (outcome === false) throw noSuchKey(keyId);
  if (outcome !== true) throw preconditionFailed(outcome.version);
}

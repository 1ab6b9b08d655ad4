// Which API keys a person may see and change, and the refusals that creating and changing keys share.

import type { Actor } from "../access/access-rule.ts";
import { type ApiKey, type ApiKeyStore, isActive, isPast } from "../access/api-key.ts";
import type { GrantStore } from "../access/grant.ts";
import { contention, fieldRefusal, Refusal } from "../kernel/refusal.ts";
import { maxActiveKeys } from "./key-place.ts";

/** The only caller whose keys the person may see; undefined for the owner, who sees all keys of the workspace. */
export function onlyCaller({ role, sub }: Actor): string | undefined {
  return role === "owner" ? undefined : sub;
}

/** @throws Refusal not_found for a key that does not exist or that the person may not see. */
export async function requireKey(apiKeys: Pick<ApiKeyStore, "get">, actor: Actor, keyId: string): Promise<ApiKey> {
  const key = await apiKeys.get(keyId);
  const own = onlyCaller(actor);
  if (key?.tenant_id !== actor.tenantId || (own && key.caller_id !== own)) throw noSuchKey(keyId);
  return key;
}

/** @throws Refusal not_found, or key_ended for a key that has ended: an ended key never becomes active again. */
export async function requireActiveKey(
  { apiKeys, clock }: { apiKeys: Pick<ApiKeyStore, "get">; clock: () => number },
  actor: Actor,
  keyId: string,
): Promise<ApiKey> {
  const key = await requireKey(apiKeys, actor, keyId);
  if (isActive(key, clock())) return key;
  const end = key.status === "revoked" ? "is revoked" : "has expired";
  const successor = key.replaced_by ? `; it was replaced by ${key.replaced_by}` : "; create another one";
  throw fieldRefusal("key_ended", "key_id", `the key ${keyId} ${end}${successor}`);
}

/** A developer's personal key spends their grant, so they need one. @throws Refusal grant_missing. */
export async function requireGrant(grants: Pick<GrantStore, "get">, { role, tenantId, sub }: Actor): Promise<void> {
  if (role === "owner" || (await grants.get(tenantId, sub))) return;
  throw new Refusal("grant_missing", "You have no grant in this workspace yet; ask its owner for one");
}

/** @throws Refusal invalid_request for an end that is over. */
export function requireFuture(expiresAt: string | null | undefined, now: number): void {
  if (!isPast(expiresAt ?? undefined, now)) return;
  throw fieldRefusal("invalid_request", "expires_at", "must be in the future");
}

export function noSuchKey(keyId: string): Refusal {
  return fieldRefusal("not_found", "key_id", `there is no key ${keyId} here`);
}

export function changedMeanwhile(keyId: string): Refusal {
  return contention("key_id", `the key ${keyId} was changed by another request just now, try again`);
}

export function tooManyKeys(advice: string): Refusal {
  return new Refusal(
    "key_limit_reached",
    `There are ${maxActiveKeys} active keys of this caller, which is the most; ${advice}`,
  );
}

export function noMember(): Refusal {
  return new Refusal("role_missing", "This needs the role owner or developer; you are not a member of the workspace");
}

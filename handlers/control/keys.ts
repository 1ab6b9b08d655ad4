// API keys: a person's own, which spends the person's grant, and those of service accounts, which bring their limits.

import {
  type ApiKey,
  maxActiveKeys,
  mintApiKey,
  mintApiKeyId,
  serviceAccountPrefix,
} from "../../domain/access/api-key.ts";
import { isGood, isPast, patched, rotation } from "../../domain/access/api-key-change.ts";
import { checkModels, type Grant, withUsableRegion } from "../../domain/access/grant.ts";
import { pageAnswer } from "../../domain/kernel/page.ts";
import { notAt, requireVersion } from "../../domain/kernel/precondition.ts";
import { fieldRefusal, Refusal } from "../../domain/kernel/refusal.ts";
import { auditEntry } from "../../domain/workspace/audit.ts";
import type { Member } from "../middleware/caller.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { keyRoutes } from "./keys.routes.ts";
import type { ControlRequest, Operations } from "./routing/operation.ts";

type Dependencies = Pick<
  ControlDependencies,
  "apiKeys" | "lastUses" | "grants" | "tenants" | "catalog" | "hashApiKey" | "clock" | "newId" | "random" | "settings"
>;
type CreateRequest = ControlRequest<typeof keyRoutes.createKey>;
type RotateRequest = ControlRequest<typeof keyRoutes.rotateKey>;
type Change = { action: `key.${string}`; target: string; before?: object; after?: object };

export function keyOperations(deps: Dependencies): Operations<typeof keyRoutes> {
  const { apiKeys, lastUses, grants, tenants, catalog, hashApiKey, clock, newId, random, settings } = deps;

  return {
    async listKeys({ caller, query: { page, filter } }) {
      const asked = filter.caller_id;
      const own = ownOnly(caller);
      if (own && asked && asked !== own) return { data: [] };
      const { items, next } = await apiKeys.list(caller.tenant_id, own ?? asked, page);
      const used = await lastUses.of(items.map(({ key_id }) => key_id));
      const withUse = items.map((key) => ({ ...key, last_used_at: used.get(key.key_id) }));
      return pageAnswer({ items: withUse, next });
    },

    async createKey({ caller, body }) {
      requireFuture(body.expires_at);
      if (body.grant) checkModels(body.grant, catalog, "grant.");
      if (body.kind === "service_account" && caller.role !== "owner") {
        throw fieldRefusal("role_missing", "kind", "a service account's key needs the role owner; yours is developer");
      }
      await requireGrant(caller);
      return { newId: mintApiKeyId(random), create: (keyId) => create(keyId, caller, body) };
    },

    async updateKey({ caller, parameters: { key_id }, body, ifMatch }) {
      const before = await requireGoodKey(caller, key_id);
      requireVersion(ifMatch, versionOf(before));
      requireFuture(body.expires_at);
      if (body.grant && before.role !== "service_account") {
        const advice = "a person's key spends the person's grant: PUT /v1/grants/{dev_sub}";
        throw fieldRefusal("invalid_request", "grant", `is only for service accounts; ${advice}`);
      }
      if (body.grant) checkModels(body.grant, catalog, "grant.");
      const after = patched(before, { ...body, grant: await usable(body.grant, caller) });
      if (after === before) return before;
      const entry = entryOf(caller, { action: "key.update", target: key_id, before, after });
      const updated = await apiKeys.update(before, after, entry);
      if (updated === "updated") return after;
      if (updated === "full") throw tooManyKeys("revoke one that is not used any more");
      requireVersion(ifMatch, versionOf(await requireKey(caller, key_id)));
      throw changed(key_id);
    },

    async rotateKey({ caller, parameters: { key_id }, body, ifMatch }) {
      const key = await requireKey(caller, key_id);
      requireFuture(body.expires_at);
      if (key.role !== "service_account") {
        if (key.caller_id !== caller.sub) {
          const advice = "revoke it, and let the person create another";
          throw fieldRefusal("role_missing", "key_id", `a person's key is rotated by that person alone; ${advice}`);
        }
        await requireGrant(caller);
      }
      return { newId: mintApiKeyId(random), create: (newKeyId) => rotate(newKeyId, key_id, caller, body, ifMatch) };
    },

    async revokeKey({ caller, parameters: { key_id }, ifMatch }) {
      const now = clock();
      const after = { status: "revoked", revoked_at: new Date(now).toISOString() };
      const entry = entryOf(caller, { action: "key.revoke", target: key_id, before: { status: "active" }, after });
      const revoked = await apiKeys.revoke(caller.tenant_id, key_id, ownOnly(caller), now, entry, ifMatch);
      if (revoked === true) return undefined;
      if (revoked === false) throw missing(key_id);
      throw notAt(revoked.version);
    },
  };

  async function create(keyId: string, caller: Member, body: CreateRequest["body"]) {
    const { key, last4 } = mintApiKey(body.mode, keyId, random);
    const service = body.kind === "service_account";
    const grant = await usable(body.grant, caller);
    const record: ApiKey = {
      key_id: keyId,
      tenant_id: caller.tenant_id,
      name: body.name,
      mode: body.mode,
      hash: await hashApiKey(key),
      last4,
      role: service ? "service_account" : caller.role,
      caller_id: service ? serviceAccountPrefix + mintApiKeyId(random) : caller.sub,
      scope: "proxy:invoke",
      status: "active",
      created_by: caller.sub,
      created_at: new Date(clock()).toISOString(),
      version: 1,
      ...(body.expires_at !== undefined && { expires_at: body.expires_at }),
      ...(grant && { grant }),
    };
    const entry = entryOf(caller, { action: "key.create", target: keyId, after: record });
    const created = await apiKeys.create(record, settings.maxServiceAccounts, entry);
    if (created === "created") return { ...record, key };
    if (created === "no_member") throw noMember();
    if (created === "full" && service) {
      const limit = `the workspace has ${settings.maxServiceAccounts} service accounts, which is the most`;
      throw fieldRefusal("conflict", "kind", `${limit}; revoke a key of one that is not used any more`);
    }
    throw created === "full" ? tooManyKeys("revoke one that is not used any more") : shownBefore(keyId);
  }

  async function rotate(
    newKeyId: string,
    oldKeyId: string,
    caller: Member,
    body: RotateRequest["body"],
    ifMatch: RotateRequest["ifMatch"],
  ) {
    if (await apiKeys.get(newKeyId)) throw shownBefore(newKeyId);
    const old = await requireGoodKey(caller, oldKeyId);
    requireVersion(ifMatch, versionOf(old));
    const { key, last4 } = mintApiKey(old.mode, newKeyId, random);
    const now = clock();
    const made = { key_id: newKeyId, hash: await hashApiKey(key), last4, created_by: caller.sub };
    const change = rotation(old, made, body, now);
    const { successor, oldEndsAt } = change;
    const before = { expires_at: old.expires_at };
    const after = { expires_at: oldEndsAt, replaced_by: newKeyId, successor_expires_at: successor.expires_at };
    const entry = entryOf(caller, { action: "key.rotate", target: oldKeyId, before, after });
    const rotated = await apiKeys.rotate(change, now, entry);
    if (rotated === "rotated") {
      return { ...successor, key, replaces: { key_id: oldKeyId, expires_at: oldEndsAt } };
    }
    if (rotated === "no_member") throw noMember();
    if (rotated === "full") throw tooManyKeys("revoke one, or rotate with overlap_seconds 0");
    if (rotated === "taken") throw shownBefore(newKeyId);
    requireVersion(ifMatch, versionOf(await requireKey(caller, oldKeyId)));
    throw changed(oldKeyId);
  }

  /** A key that the caller may see. */
  async function requireKey(caller: Member, keyId: string): Promise<ApiKey> {
    const key = await apiKeys.get(keyId);
    const own = ownOnly(caller);
    if (key?.tenant_id !== caller.tenant_id || (own && key.caller_id !== own)) throw missing(keyId);
    return key;
  }

  /** One that is over stays over. */
  async function requireGoodKey(caller: Member, keyId: string): Promise<ApiKey> {
    const key = await requireKey(caller, keyId);
    if (isGood(key, clock())) return key;
    const end = key.status === "revoked" ? "is revoked" : "has expired";
    const successor = key.replaced_by ? `; it was replaced by ${key.replaced_by}` : "; create another one";
    throw fieldRefusal("conflict", "key_id", `the key ${keyId} ${end}${successor}`);
  }

  async function requireGrant(caller: Member): Promise<void> {
    if (caller.role === "owner" || (await grants.get(caller.tenant_id, caller.sub))) return;
    throw new Refusal("grant_missing", "You have no grant in this workspace yet; ask its owner for one");
  }

  function requireFuture(expiresAt: string | null | undefined): void {
    if (!isPast(expiresAt ?? undefined, clock())) return;
    throw fieldRefusal("invalid_request", "expires_at", "must be in the future");
  }

  async function usable(grant: Grant | undefined, { tenant_id }: Member): Promise<Grant | undefined> {
    return grant && withUsableRegion(grant, (await tenants.get(tenant_id))?.default_region);
  }

  function entryOf({ tenant_id, sub }: Member, change: Change) {
    return auditEntry({ tenant_id, actor: sub, ...change }, { id: newId(), now: clock() });
  }
}

/** The caller to whom everything is narrowed; the owner sees and revokes all keys. */
function ownOnly({ role, sub }: Member): string | undefined {
  return role === "owner" ? undefined : sub;
}

/** For `ETag`. */
function versionOf({ version }: ApiKey): string {
  return String(version);
}

function missing(keyId: string): Refusal {
  return fieldRefusal("not_found", "key_id", `there is no key ${keyId} here`);
}

function changed(keyId: string): Refusal {
  return fieldRefusal("conflict", "key_id", `the key ${keyId} was changed by another request just now, try again`);
}

function shownBefore(keyId: string): Refusal {
  const advice = "its text was shown once and is kept nowhere; revoke it and create another";
  return fieldRefusal("conflict", "idempotency-key", `the key ${keyId} was created with it, and ${advice}`);
}

function tooManyKeys(advice: string): Refusal {
  return new Refusal("conflict", `There are ${maxActiveKeys} active keys of this caller, which is the most; ${advice}`);
}

function noMember(): Refusal {
  return new Refusal("role_missing", "This needs the role owner or developer; you are not a member of the workspace");
}

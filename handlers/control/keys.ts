// API keys: a person's own, which spends the person's grant, and those of service accounts, which bring their limits.

import { type ApiKey, mintApiKey, mintApiKeyId } from "../../domain/access/api-key.ts";
import { checkModels, withUsableRegion } from "../../domain/access/grant.ts";
import { pageAnswer } from "../../domain/page.ts";
import { fieldRefusal, Refusal } from "../../domain/refusal.ts";
import type { Member } from "../middleware/caller.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { keyRoutes } from "./keys.routes.ts";
import type { ControlRequest, Operations } from "./operation.ts";

type Dependencies = Pick<
  ControlDependencies,
  "apiKeys" | "grants" | "tenants" | "catalog" | "hashApiKey" | "clock" | "random" | "settings"
>;
type CreateRequest = ControlRequest<typeof keyRoutes.createKey>;

export function keyOperations(deps: Dependencies): Operations<typeof keyRoutes> {
  const { apiKeys, grants, tenants, catalog, hashApiKey, clock, random, settings } = deps;

  return {
    async listKeys({ caller, query }) {
      return pageAnswer(await apiKeys.list(caller.tenant_id, ownOnly(caller), query));
    },

    async createKey({ caller, body }) {
      await requireLimits(caller, body);
      return { newId: mintApiKeyId(random), create: (keyId) => create(keyId, caller, body) };
    },

    async revokeKey({ caller, parameters: { key_id } }) {
      if (await apiKeys.revoke(caller.tenant_id, key_id, ownOnly(caller), clock())) return undefined;
      throw new Refusal("not_found", `key_id: there is no key ${key_id} here`);
    },
  };

  async function create(keyId: string, caller: Member, body: CreateRequest["body"]) {
    const { key, last4 } = mintApiKey(body.mode, keyId, random);
    const service = body.kind === "service_account";
    const grant = body.grant && withUsableRegion(body.grant, (await tenants.get(caller.tenant_id))?.default_region);
    const record: ApiKey = {
      key_id: keyId,
      tenant_id: caller.tenant_id,
      name: body.name,
      mode: body.mode,
      hash: await hashApiKey(key),
      last4,
      role: service ? "service_account" : caller.role,
      caller_id: service ? `sa_${mintApiKeyId(random)}` : caller.sub,
      scope: "proxy:invoke",
      status: "active",
      created_by: caller.sub,
      created_at: new Date(clock()).toISOString(),
      ...(body.expires_at !== undefined && { expires_at: body.expires_at }),
      ...(grant && { grant }),
    };
    const created = await apiKeys.create(record, settings.maxServiceAccounts);
    if (created === "created") return { ...record, key };
    if (created === "full") {
      const limit = `the workspace has ${settings.maxServiceAccounts} service accounts, which is the most`;
      throw fieldRefusal("conflict", "kind", `${limit}; revoke a key of one that is not used any more`);
    }
    const advice = "its text was shown once and is kept nowhere; revoke it and create another";
    throw fieldRefusal("conflict", "idempotency-key", `the key ${keyId} was created with it, and ${advice}`);
  }

  async function requireLimits(caller: Member, { kind, grant, expires_at }: CreateRequest["body"]): Promise<void> {
    if (expires_at !== undefined && Date.parse(expires_at) <= clock()) {
      throw fieldRefusal("invalid_request", "expires_at", "must be in the future");
    }
    if (grant) checkModels(grant, catalog, "grant.");
    if (caller.role === "owner") return;
    if (kind === "service_account") {
      throw new Refusal("role_missing", "kind: a service account's key needs the role owner; yours is developer");
    }
    if (await grants.get(caller.tenant_id, caller.sub)) return;
    throw new Refusal("grant_missing", "You have no grant in this workspace yet; ask its owner for one");
  }
}

/** The caller to whom everything is narrowed; the owner sees and revokes all keys. */
function ownOnly({ role, sub }: Member): string | undefined {
  return role === "owner" ? undefined : sub;
}

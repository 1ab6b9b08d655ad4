// Creates API keys: a person's own, which spends the person's grant, and those of service accounts, which bring their limits.
import * as z from "zod";
import type { Actor } from "../access/access-rule.ts";
import {
  type ApiKey,
  type ApiKeyStore,
  apiKeyEnd,
  apiKeyMode,
  apiKeyName,
  serviceAccountPrefix,
} from "../access/api-key.ts";
import { checkGrant, type GrantBounds, type GrantStore, grantBody, withUsableRegion } from "../access/grant.ts";
import { mintApiKey, mintApiKeyId, type Random } from "../access/key-text.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Creation, KeyUsed } from "../kernel/idempotency.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import { fields } from "../kernel/validation.ts";
import { entryBy } from "../workspace/audit.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import { noMember, requireFuture, requireGrant, tooManyKeys } from "./key-access.ts";

/** The body of POST /v1/keys. A person's key spends the person's grant; a service account's brings its own limits. */
export const apiKeyBody = fields({
  name: apiKeyName.describe("Name of the key, for people"),
  kind: z
    .enum(["service_account", "personal"], { error: () => "must be service_account or personal" })
    .default("personal")
    .describe(
      "`personal`: the key spends the caller's own grant. `service_account`: the key creates a new caller with its own limits",
    ),
  mode: apiKeyMode
    .default("live")
    .describe("The prefix of the key's text: `live` for `ar_live_`, `test` for `ar_test_`"),
  expires_at: apiKeyEnd.optional().describe("When the key expires. By default it never expires"),
  grant: grantBody.optional().describe("Limits of the service account. Required for a service account"),
})
  .superRefine(({ kind, grant }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["grant"], message });
    if (kind === "service_account" && !grant) refuse("is required for a service account: its limits");
    if (kind === "personal" && grant) refuse("is only for service accounts; a personal key spends its owner's grant");
  })
  .meta({ id: "ApiKeyBody", description: "A key to create" });

type KeyRequest = z.output<typeof apiKeyBody>;

export type KeyCreationDependencies = {
  apiKeys: Pick<ApiKeyStore, "create">;
  grants: Pick<GrantStore, "get">;
  tenants: Pick<TenantStore, "get">;
  catalog: Catalog;
  hashApiKey: (key: string) => Promise<string>;
  clock: () => number;
  newId: () => string;
  random: Random;
  settings: GrantBounds["settings"] & { maxServiceAccounts: number };
};

/** A stored key together with its text, which is shown in this answer only. */
export type ShownApiKey = ApiKey & { key: string };

/** @throws Refusal */
export async function createKey(
  deps: KeyCreationDependencies,
  actor: Actor,
  request: KeyRequest,
): Promise<Creation<ShownApiKey>> {
  requireFuture(request.expires_at, deps.clock());
  if (request.grant) checkGrant(request.grant, deps, "grant.");
  await requireGrant(deps.grants, actor);
  return { newId: mintApiKeyId(deps.random), create: (keyId) => create(deps, actor, request, keyId) };
}

async function create(
  { apiKeys, tenants, hashApiKey, clock, newId, random, settings }: KeyCreationDependencies,
  actor: Actor,
  request: KeyRequest,
  keyId: string,
): Promise<ShownApiKey> {
  const { key, last4 } = mintApiKey(request.mode, keyId, random);
  const isService = request.kind === "service_account";
  const grant = request.grant && withUsableRegion(request.grant, (await tenants.get(actor.tenantId))?.default_region);
  const record: ApiKey = {
    key_id: keyId,
    tenant_id: actor.tenantId,
    name: request.name,
    mode: request.mode,
    hash: await hashApiKey(key),
    last4,
    role: isService ? "service_account" : actor.role,
    caller_id: isService ? serviceAccountPrefix + mintApiKeyId(random) : actor.sub,
    scope: "proxy:invoke",
    status: "active",
    created_by: actor.sub,
    created_at: new Date(clock()).toISOString(),
    version: 1,
    ...(request.expires_at !== undefined && { expires_at: request.expires_at }),
    ...(grant && { grant }),
  };
  const entry = entryBy({ clock, newId }, actor, { action: "key.create", target: keyId, after: record });
  const outcome = await apiKeys.create(record, settings.maxServiceAccounts, entry);
  if (outcome === "created") return { ...record, key };
  if (outcome === "no_member") throw noMember();
  if (outcome === "taken") throw shownBefore(keyId);
  if (!isService) throw tooManyKeys("revoke one that is not used any more");
  const limit = `the workspace has ${settings.maxServiceAccounts} service accounts, which is the most`;
  throw fieldRefusal(
    "service_account_limit_reached",
    "kind",
    `${limit}; revoke a key of one that is not used any more`,
  );
}

/** A repeat cannot be answered: the text of the key that the first attempt created is stored nowhere. */
export function shownBefore(keyId: string): KeyUsed {
  const advice = "its text was shown once and is kept nowhere; revoke it and create another";
  return new KeyUsed(`the key ${keyId} was already created by this request, and ${advice}`);
}

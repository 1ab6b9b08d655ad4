// Tokens for a code or a refresh token of ours. What a client holds is bound to it, to its gateway and to the person's sign-in.
import { appClients } from "../access/app-client.ts";
import { hourMs } from "../kernel/period.ts";
import { entryBy } from "../workspace/audit.ts";
import { segmentOf } from "./connected-gateway.ts";
import { clientHash, kindOf } from "./connector-client.ts";
import { OAuthError } from "./oauth-error.ts";
import {
  type ClientCredentials,
  type PoolEndpoints,
  type PoolTokens,
  poolTokens,
  requireAnswered,
} from "./pool-tokens.ts";
import { nextGeneration, type RefreshFamilies } from "./refresh-family.ts";
import type { Sealed, Sealing } from "./sealed.ts";
import { callbackOf, challengeOf } from "./sign-in.ts";

export type TokenDependencies = {
  sealing: Sealing;
  pool: PoolEndpoints;
  families: RefreshFamilies;
  clock: () => number;
  /** A new UUID. */
  newId: () => string;
  settings: { origin: string; scope: string };
};

/** The answer of RFC 6749 (5.1). */
export type TokenAnswer = {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
};

const notMember =
  "You are no member of the workspace of this gateway: ask its owner for an invitation, or sign in as another person";

/** @throws OAuthError, PoolUnavailable, or Refusal store_unavailable */
export async function grantTokens(
  deps: TokenDependencies,
  client: ClientCredentials,
  form: URLSearchParams,
): Promise<TokenAnswer> {
  const twice = [...form.keys()].find((name) => form.getAll(name).length > 1);
  if (twice !== undefined) throw new OAuthError("invalid_request", `${twice} is given more than once`);
  await requireRegistered(deps, client);
  const grant = form.get("grant_type");
  if (grant === "authorization_code") return grantByCode(deps, client, form);
  if (grant === "refresh_token") return grantByRefresh(deps, client, form);
  throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
}

/**
 * Ends the sign-in of a refresh token. A token that says nothing here is no error (RFC 7009, 2.2).
 * @throws OAuthError, or PoolUnavailable
 */
export async function revokeToken(deps: TokenDependencies, client: ClientCredentials, token: string): Promise<void> {
  await requireRegistered(deps, client);
  const opened = await deps.sealing.open("refresh", token, deps.clock());
  if (opened?.client !== clientHash(client.clientId)) return;
  requireAnswered(await deps.pool.revoke(opened.pool_token, atPool(client, opened.app_client)));
}

/** @throws OAuthError invalid_client: a client that hears this registers again */
async function requireRegistered({ sealing, clock }: TokenDependencies, { clientId }: ClientCredentials) {
  if (kindOf(clientId) !== "registered" || (await sealing.open("client", clientId, clock()))) return;
  throw new OAuthError("invalid_client", "The client is not known here: it has to register again");
}

async function grantByCode(deps: TokenDependencies, client: ClientCredentials, form: URLSearchParams) {
  const { sealing, clock, newId, settings } = deps;
  const [code, verifier] = [form.get("code") ?? "", form.get("code_verifier") ?? ""];
  const opened = await sealing.open("code", code, clock());
  if (!opened) throw new OAuthError("invalid_grant", "The code is over, or is no code of this authorization server");
  requireBound(deps, opened, client, form);
  if (opened.redirect_uri !== form.get("redirect_uri")) {
    throw new OAuthError("invalid_grant", "redirect_uri must be the one of the authorization request");
  }
  if (challengeOf(verifier) !== opened.challenge) {
    throw new OAuthError("invalid_grant", "code_verifier does not fit the code");
  }
  const tokens = await tokensFor(deps, client, opened, {
    grant_type: "authorization_code",
    code: opened.pool_code,
    redirect_uri: callbackOf(settings.origin),
    code_verifier: opened.verifier,
  });
  if (tokens.refreshToken === undefined) throw new Error("the user pool gave no refresh token for a code");
  const { client: hash, tenant_id, address, app_client } = opened;
  const now = clock();
  return answer(deps, tokens, {
    ...{ client: hash, tenant_id, address, app_client, sub: tokens.sub, pool_token: tokens.refreshToken },
    ...{ family_id: newId(), generation: 1, since: now, until: now + appClients.connector.refreshHours * hourMs },
  });
}

async function grantByRefresh(deps: TokenDependencies, client: ClientCredentials, form: URLSearchParams) {
  const { sealing, families, clock } = deps;
  const presented = await sealing.open("refresh", form.get("refresh_token") ?? "", clock());
  if (!presented) throw new OAuthError("invalid_grant", "The refresh token is over, or is none of this server's");
  requireBound(deps, presented, client, form);
  const { tenant_id: tenantId, family_id: familyId } = presented;
  const next = nextGeneration(presented, await families.get(tenantId, familyId), clock());
  if (next === "stale") {
    await noteStale(deps, presented);
    const words = "This copy of the refresh token was replaced long ago: sign in again. Other copies keep working";
    throw new OAuthError("invalid_grant", words);
  }
  const asked = { grant_type: "refresh_token", refresh_token: presented.pool_token };
  const tokens = await tokensFor(deps, client, presented, asked);
  if (next.generation > presented.generation) {
    await families.begin({ tenant_id: tenantId, family_id: familyId, ...next }, presented.until);
  }
  return answer(deps, tokens, { ...presented, ...next });
}

/** @throws OAuthError invalid_grant for another client, invalid_target for another gateway */
function requireBound(
  { settings }: TokenDependencies,
  bound: { client: string; address: string },
  { clientId }: ClientCredentials,
  form: URLSearchParams,
): void {
  if (bound.client !== clientHash(clientId)) throw new OAuthError("invalid_grant", "This was issued to another client");
  const resource = form.get("resource");
  if (resource !== null && segmentOf(settings.origin, resource) !== bound.address) {
    throw new OAuthError("invalid_target", "resource must be the address of the MCP gateway of the sign-in");
  }
}

/** @throws OAuthError access_denied for a person to whom the trigger before a token names no workspace (domain/access/token-workspace.ts) */
async function tokensFor(
  { pool }: TokenDependencies,
  client: ClientCredentials,
  bound: { app_client: string; tenant_id: string },
  form: Record<string, string>,
): Promise<PoolTokens> {
  const tokens = await poolTokens(pool, form, atPool(client, bound.app_client)).catch((error: unknown) => {
    const isOfPool = error instanceof OAuthError && error.code === "invalid_client";
    // The app client is the gateway's: who registered here is as well known as before.
    if (isOfPool && bound.app_client !== client.clientId)
      throw new OAuthError("invalid_grant", "The MCP gateway is gone");
    throw error;
  });
  if (tokens.tenantId !== bound.tenant_id) throw new OAuthError("access_denied", notMember);
  return tokens;
}

/** Only a gateway's own id has a secret; the pool checks it. */
function atPool({ clientId, secret }: ClientCredentials, appClient: string): ClientCredentials {
  return { clientId: appClient, ...(clientId === appClient && secret !== undefined && { secret }) };
}

async function noteStale({ families, clock, newId }: TokenDependencies, presented: Sealed<"refresh">): Promise<void> {
  const { tenant_id: tenantId, sub, family_id: familyId, generation } = presented;
  const change = { action: "connector.stale_token", target: sub, after: { generation } } as const;
  const entry = entryBy({ clock, newId }, { tenantId, sub }, change);
  await families.noteStale(tenantId, familyId, new Date(clock()).toISOString(), entry);
}

async function answer(
  { sealing, settings }: TokenDependencies,
  { accessToken, expiresIn }: PoolTokens,
  refresh: Sealed<"refresh">,
): Promise<TokenAnswer> {
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn,
    refresh_token: await sealing.seal("refresh", refresh, refresh.until),
    scope: settings.scope,
  };
}

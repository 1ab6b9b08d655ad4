// What can be done with tokens besides getting them: `/oauth2/userInfo`, `/oauth2/revoke`, and the pool's public documents.
import type { JWTPayload } from "jose";
import { AwsError } from "../aws/service.ts";
import { authenticateClient, oauthError } from "./client-authentication.ts";
import { type Answer, EarlyAnswer, type Exchange, json } from "./http.ts";
import type { Pool } from "./pool.ts";
import { readableAttributes, verifyAccessToken } from "./tokens.ts";
import { allAttributes } from "./users.ts";

/** `GET` and `POST /oauth2/userInfo` */
export async function userInfo(pool: Pool, { authorization = "" }: Exchange): Promise<Answer> {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (!token) throw refusal(400, "invalid_request", "Bad OAuth2 request at UserInfo Endpoint");
  const claims = await verifyAccessToken(pool, token).catch((error: unknown) => {
    throw error instanceof AwsError ? refusal(401, "invalid_token", error.message) : error;
  });
  const scopes = claims.scope?.split(" ") ?? [];
  if (!scopes.includes("openid")) throw refusal(401, "invalid_token", "Access token does not contain openid scope");
  return json(200, aboutUser(pool, claims, scopes));
}

function aboutUser(pool: Pool, { username, client_id }: JWTPayload, scopes: string[]) {
  const user = pool.users.find(String(username));
  const client = pool.clients.find(String(client_id));
  if (!user || !client) throw refusal(401, "invalid_token", "The user or the client does not exist any more.");
  const { sub, identities } = allAttributes(user);
  const attributes = readableAttributes(user.attributes, scopes, client);
  return { sub, ...(identities && { identities }), ...attributes, username: user.username };
}

function refusal(status: number, error: string, description: string): EarlyAnswer {
  const challenge = { "www-authenticate": `Bearer error="${error}", error_description="${description}"` };
  return new EarlyAnswer(json(status, { error, error_description: description }, challenge));
}

/** `POST /oauth2/revoke`: ends the sign-in that a refresh token belongs to. An unknown token is no error (RFC 7009). */
export function revoke(pool: Pool, exchange: Exchange): Answer {
  const client = authenticateClient(pool, exchange, 401);
  const token = exchange.form.get("token");
  if (!token) throw oauthError("invalid_request", "token is needed");
  if (!client.settings.enableTokenRevocation) {
    throw oauthError("invalid_request", "Token revocation is disabled for this client");
  }
  if (token.split(".").length === 3) throw oauthError("unsupported_token_type");
  const authentication = pool.authentications.ofRefreshToken(token);
  if (authentication && authentication.clientId !== client.id) throw oauthError("unauthorized_client");
  if (authentication) pool.authentications.revoke(authentication);
  return { status: 200 };
}

/** `GET /<pool>/.well-known/jwks.json` */
export async function jwks(pool: Pool): Promise<Answer> {
  return json(200, await pool.keys.publicKeys(), { "cache-control": "public, max-age=3600" });
}

/**
 * `GET /<pool>/.well-known/openid-configuration`. The endpoints are on the sign-in host, also when the issuer's host is
 * asked. Like Cognito it does not tell that it knows PKCE.
 */
export function openidConfiguration({ issuer, domain }: Pool, exchange: Exchange): Answer {
  const askedAtIssuer = new URL(exchange.baseUrl).hostname === new URL(issuer).hostname;
  const baseUrl = askedAtIssuer ? `https://${domain}` : exchange.baseUrl;
  return json(200, {
    authorization_endpoint: `${baseUrl}/oauth2/authorize`,
    end_session_endpoint: `${baseUrl}/logout`,
    id_token_signing_alg_values_supported: ["RS256"],
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ["code"],
    revocation_endpoint: `${baseUrl}/oauth2/revoke`,
    scopes_supported: ["openid", "email", "phone", "profile"],
    subject_types_supported: ["public"],
    token_endpoint: `${baseUrl}/oauth2/token`,
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    userinfo_endpoint: `${baseUrl}/oauth2/userInfo`,
  });
}

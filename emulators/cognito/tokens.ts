// Makes tokens in Cognito's shapes, and checks the pool's own access tokens.
import { createHash, randomUUID } from "node:crypto";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Authentication } from "./authentications.ts";
import { type AppClient, lifetimes } from "./clients.ts";
import type { TokenUse } from "./keys.ts";
import type { Attributes } from "./people/attributes.ts";
import { identitiesOf, type User } from "./people/users.ts";
import type { Pool } from "./pool.ts";
import { notAuthorized } from "./refusals.ts";
import { overrideClaims, overrideScopes, type TokenOverrides } from "./token-overrides.ts";
import type { TokenSource } from "./triggers.ts";

export type Tokens = {
  accessToken: string;
  idToken: string;
  /** Seconds that the access token lives. */
  expiresIn: number;
};

/** Asks the pre-token-generation trigger what it changes. @throws AwsError as `Triggers` does. */
export function requestOverrides(
  pool: Pool,
  source: TokenSource,
  { username, clientId, scopes }: Authentication,
): Promise<TokenOverrides> {
  const user = pool.users.get(username);
  return pool.triggers.preTokenGeneration(source, user, clientId, activeScopes(pool, scopes));
}

/** Makes a person's tokens. */
export async function issueTokens(
  pool: Pool,
  authentication: Authentication,
  client: AppClient,
  overrides: TokenOverrides,
  nonce?: string,
): Promise<Tokens> {
  const user = pool.users.get(authentication.username);
  const { access, id } = lifetimes(client.settings);
  const shared = sharedClaims(authentication, user);
  const scopes = overrideScopes(activeScopes(pool, authentication.scopes), overrides);
  const accessClaims = {
    ...shared,
    ...(authentication.resource && { aud: authentication.resource }),
    version: 2,
    client_id: client.id,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    username: user.username,
  };
  const accessToken = await sign(pool, "access", overrideClaims("access", accessClaims, overrides), access);
  const idClaims = {
    ...attributeClaims(attributesInScope(user.attributes, authentication.scopes)),
    ...(user.identities.length > 0 && { identities: identitiesOf(user) }),
    ...shared,
    aud: client.id,
    at_hash: halfHash(accessToken),
    "cognito:username": user.username,
    ...(nonce && { nonce }),
  };
  const idToken = await sign(pool, "id", overrideClaims("id", idClaims, overrides), id);
  return { accessToken, idToken, expiresIn: access };
}

/**
 * Gives the claims of an access token of this pool.
 * @throws AwsError NotAuthorizedException if it is forged, expired or revoked.
 */
export async function verifyAccessToken(pool: Pool, token: string): Promise<JWTPayload & { scope?: string }> {
  const invalid = notAuthorized("Access token is expired, disabled, or deleted, or the user has globally signed out.");
  // The key of ID tokens verifies no access token.
  const { publicJwk } = await pool.keys.of("access");
  const options = { issuer: pool.issuer, algorithms: ["RS256"], currentDate: new Date(pool.now()) };
  const verified = await jwtVerify(token, publicJwk, options).catch(() => undefined);
  if (!verified) throw invalid;
  const { payload } = verified;
  if (typeof payload.origin_jti !== "string" || !pool.authentications.isLive(payload.origin_jti)) throw invalid;
  return payload;
}

/** The attributes that these scopes let a client see. `profile`, and `openid` alone, show all. */
export function attributesInScope(attributes: Attributes, scopes: string[]): Attributes {
  const named = scopes.flatMap((scope) => scopeAttributes[scope] ?? []);
  if (named.length === 0 || scopes.includes("profile")) return attributes;
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => named.includes(name)));
}

const scopeAttributes: Record<string, string[]> = {
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
};

/** Cognito leaves out scopes whose resource server no longer has them, e.g. of a sign-in before a deployment. */
function activeScopes(pool: Pool, scopes: string[]): string[] {
  return scopes.filter((scope) => pool.resourceServers.scopeExists(scope));
}

function sharedClaims({ originJti, eventId, authTime }: Authentication, { sub }: User) {
  return { sub, origin_jti: originJti, event_id: eventId, auth_time: authTime };
}

function attributeClaims(attributes: Attributes): Record<string, string | boolean> {
  const booleans = ["email_verified", "phone_number_verified"];
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, booleans.includes(name) ? value === "true" : value]),
  );
}

async function sign(pool: Pool, use: TokenUse, claims: JWTPayload, lifetimeSeconds: number): Promise<string> {
  const { kid, privateKey } = await pool.keys.of(use);
  const iat = Math.floor(pool.now() / 1000);
  const payload = { ...claims, iss: pool.issuer, token_use: use, iat, exp: iat + lifetimeSeconds, jti: randomUUID() };
  return new SignJWT(payload).setProtectedHeader({ kid, alg: "RS256" }).sign(privateKey);
}

/** The claim `at_hash`: the left half of the access token's SHA-256 (OpenID Connect Core, 3.1.3.6). */
function halfHash(accessToken: string): string {
  return createHash("sha256").update(accessToken).digest().subarray(0, 16).toString("base64url");
}

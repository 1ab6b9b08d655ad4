// The changes that a pre-token-generation trigger may make to tokens. Claims that Cognito reserves stay as they are; a trigger that
// changes groups is refused, because groups are not emulated.
import * as z from "zod";

const names = z.array(z.string()).nullish();
const claims = z.record(z.string(), z.unknown()).nullish();
const scopes = z.array(z.string().regex(/^\S+$/, "a scope has no blanks")).nullish();

const overrides = z.strictObject({
  idTokenGeneration: z.strictObject({ claimsToAddOrOverride: claims, claimsToSuppress: names }).nullish(),
  accessTokenGeneration: z
    .strictObject({
      claimsToAddOrOverride: claims,
      claimsToSuppress: names,
      scopesToAdd: scopes,
      scopesToSuppress: names,
    })
    .nullish(),
});

export type TokenOverrides = z.output<typeof overrides>;

/** The `response` of events of version 2 and 3. */
export const tokenOverrides = z.strictObject({ claimsAndScopeOverrideDetails: overrides.nullish() });

/** The reserved claims are those of the table "Claims and scopes reference" on Cognito's page about this trigger. */
const reservedClaims = new Set(
  (
    "acr amr at_hash aud auth_time azp client_id device_key event_id exp iat identities iss jti nbf nonce origin_jti " +
    "scope sub token_use username version"
  ).split(" "),
);

type Claims = Record<string, unknown>;

/** Gives the access token's scopes after the trigger. */
export function overrideScopes(scopes: string[], { accessTokenGeneration: changes }: TokenOverrides): string[] {
  const suppressed = new Set(changes?.scopesToSuppress ?? []);
  return [...new Set([...scopes, ...(changes?.scopesToAdd ?? [])])].filter((scope) => !suppressed.has(scope));
}

/** Gives a token's claims after the trigger. A claim both added and suppressed is suppressed. */
export function overrideClaims(token: "id" | "access", claims: Claims, overrides: TokenOverrides): Claims {
  const changes = token === "id" ? overrides.idTokenGeneration : overrides.accessTokenGeneration;
  const added = Object.entries(changes?.claimsToAddOrOverride ?? {}).filter(
    ([name, value]) => !isReserved(name) || isOwnAudience(token, claims, name, value),
  );
  const changed: Claims = { ...claims, ...Object.fromEntries(added) };
  for (const name of changes?.claimsToSuppress ?? []) if (!isReserved(name)) delete changed[name];
  return changed;
}

function isReserved(name: string): boolean {
  return reservedClaims.has(name) || name.startsWith("cognito:") || name.startsWith("dev:");
}

/** An access token may get an audience, but only its own client. */
function isOwnAudience(token: "id" | "access", claims: Claims, name: string, value: unknown): boolean {
  return token === "access" && name === "aud" && claims.aud === undefined && value === claims.client_id;
}

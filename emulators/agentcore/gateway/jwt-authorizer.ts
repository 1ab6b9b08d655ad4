// The authorizer CUSTOM_JWT: signature and issuer by the discovery document, then clients, audiences, scopes and custom claims
// (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/inbound-jwt-authorizer.html). All rules that are set must hold.
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import type { CustomClaim, JwtAuthorizer as Rules } from "./gateway-input.ts";
import type { Fetch } from "./openapi-call.ts";

/** Why a request is refused: 401 for the token, 403 for what it says. */
export class Unauthorized extends Error {
  readonly status: 401 | 403;

  constructor(status: 401 | 403, message: string) {
    super(message);
    this.status = status;
  }
}

type Issuer = { issuer: string; keys: JSONWebKeySet };

export class JwtAuthorizer {
  readonly #fetch: Fetch;
  readonly #now: () => number;
  readonly #issuers = new Map<string, Promise<Issuer>>();

  constructor({ fetch, now }: { fetch: Fetch; now: () => number }) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** The authorization server that a client is sent to. */
  async issuerOf({ discoveryUrl }: Rules): Promise<string> {
    return (await this.#issuer(discoveryUrl)).issuer;
  }

  /** @throws Unauthorized */
  async check(rules: Rules, authorization: string | undefined): Promise<JWTPayload> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw new Unauthorized(401, "Missing Bearer token");
    const payload = await this.#verified(rules.discoveryUrl, token).catch(() => {
      throw new Unauthorized(401, "Invalid Bearer token");
    });
    const claims = payload as Record<string, unknown>;
    if (rules.allowedClients && !rules.allowedClients.includes(String(claims.client_id))) {
      throw mismatch("client_id");
    }
    // A Cognito access token has no audience, so that every one of them fails here.
    if (rules.allowedAudience && ![payload.aud ?? []].flat().some((one) => rules.allowedAudience?.includes(one))) {
      throw mismatch("aud");
    }
    const scopes = String(claims.scope ?? "").split(" ");
    if (rules.allowedScopes && !rules.allowedScopes.some((scope) => scopes.includes(scope))) {
      throw new Unauthorized(403, "insufficient_scope");
    }
    for (const claim of rules.customClaims ?? []) {
      if (!matches(claim, claims[claim.inboundTokenClaimName])) throw mismatch(claim.inboundTokenClaimName);
    }
    return payload;
  }

  async #verified(discoveryUrl: string, token: string): Promise<JWTPayload> {
    const { kid } = decodeProtectedHeader(token);
    let { issuer, keys } = await this.#issuer(discoveryUrl);
    // A key that is not known may be newer than the key set.
    if (!keys.keys.some((key) => key.kid === kid)) {
      this.#issuers.delete(discoveryUrl);
      ({ issuer, keys } = await this.#issuer(discoveryUrl));
    }
    const options = { issuer, currentDate: new Date(this.#now()), requiredClaims: ["exp"] };
    return (await jwtVerify(token, createLocalJWKSet(keys), options)).payload;
  }

  #issuer(discoveryUrl: string): Promise<Issuer> {
    const known = this.#issuers.get(discoveryUrl) ?? this.#discover(discoveryUrl);
    this.#issuers.set(discoveryUrl, known);
    known.catch(() => this.#issuers.delete(discoveryUrl));
    return known;
  }

  async #discover(discoveryUrl: string): Promise<Issuer> {
    const { issuer, jwks_uri } = (await this.#json(discoveryUrl)) as { issuer: string; jwks_uri: string };
    return { issuer, keys: (await this.#json(jwks_uri)) as JSONWebKeySet };
  }

  async #json(url: string): Promise<unknown> {
    const response = await this.#fetch(url);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return response.json();
  }
}

function mismatch(claim: string): Unauthorized {
  return new Unauthorized(403, `Claim '${claim}' value mismatch with configuration.`);
}

function matches(
  { authorizingClaimMatchValue, inboundTokenClaimValueType: type }: CustomClaim,
  value: unknown,
): boolean {
  const { claimMatchValue, claimMatchOperator } = authorizingClaimMatchValue;
  const wanted =
    "matchValueString" in claimMatchValue ? [claimMatchValue.matchValueString] : claimMatchValue.matchValueStringList;
  if (type === "STRING") return claimMatchOperator === "EQUALS" && typeof value === "string" && value === wanted[0];
  if (!Array.isArray(value)) return false;
  if (claimMatchOperator === "CONTAINS_ANY") return wanted.some((one) => value.includes(one));
  return claimMatchOperator === "CONTAINS" && wanted.every((one) => value.includes(one));
}

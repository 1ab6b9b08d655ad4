// `/oauth2/token`: tokens for an authorization code or a refresh token. Requests and errors are those of
// docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html.
import { createHash } from "node:crypto";
import { AwsError } from "../../aws/service.ts";
import type { Authentication } from "../authentications.ts";
import { type AppClient, allowsCodeFlow } from "../clients.ts";
import { refresh } from "../people/sign-in.ts";
import type { AuthorizationCode } from "../people/sign-in-state.ts";
import type { Pool } from "../pool.ts";
import { issueTokens, type Tokens } from "../tokens.ts";
import { authenticateClient, oauthError } from "./client-authentication.ts";
import type { PoolContext } from "./context.ts";

/** The answer to a grant, with the names of RFC 6749, 5.1. */
type TokenResponse = {
  id_token?: string;
  access_token: string;
  refresh_token?: string;
  expires_in: number;
  token_type: "Bearer";
};

type Grant = (pool: Pool, client: AppClient, form: URLSearchParams, host: string) => Promise<TokenResponse>;

const grants: Record<string, Grant> = {
  authorization_code: exchangeCode,
  refresh_token: exchangeRefreshToken,
};

/** `POST /oauth2/token` */
export async function token(context: PoolContext): Promise<Response> {
  const { pool, form } = context.var;
  const twice = [...form.keys()].find((name) => form.getAll(name).length > 1);
  if (twice) throw oauthError("invalid_request", `${twice} is given more than once`);
  const grantType = form.get("grant_type");
  if (!grantType) throw oauthError("invalid_request", "grant_type is missing");
  const grant = Object.hasOwn(grants, grantType) ? grants[grantType] : undefined;
  if (!grant) throw oauthError("unsupported_grant_type");
  const client = authenticateClient(context, 400);
  try {
    return context.json(await grant(pool, client, form, context.env.host));
  } catch (error) {
    throw error instanceof AwsError ? asOauthError(error) : error;
  }
}

/** A trigger's refusal is a bad request, as on Cognito's redirects; every other error is a grant that does not hold. */
function asOauthError({ code, message }: AwsError) {
  const fromTrigger = code.includes("Lambda");
  return fromTrigger ? oauthError("invalid_request", message) : oauthError("invalid_grant", message);
}

async function exchangeCode(
  pool: Pool,
  client: AppClient,
  form: URLSearchParams,
  host: string,
): Promise<TokenResponse> {
  if (!allowsCodeFlow(client)) throw oauthError("unauthorized_client");
  const [secret, redirectUri] = [form.get("code"), form.get("redirect_uri")];
  if (!secret || !redirectUri) throw oauthError("invalid_request", "code and redirect_uri are needed");
  const code = pool.codes.read(secret)?.value;
  if (code?.authentication.clientId !== client.id) throw oauthError("invalid_grant");
  // Whether a code of one of the pool's domains holds at another is nowhere said, so that it does not here.
  if (code.host !== host) throw oauthError("invalid_grant");
  pool.codes.forget(secret);
  checkCode(pool, code, redirectUri, form.get("code_verifier"));
  const { authentication, overrides, nonce } = code;
  const tokens = await issueTokens(pool, authentication, client, overrides, nonce);
  return tokenResponse(authentication, tokens, pool.authentications.keep(authentication, client));
}

function checkCode(pool: Pool, code: AuthorizationCode, redirectUri: string, verifier: string | null): void {
  if (code.redirectUri !== redirectUri) throw oauthError("unauthorized_client", "invalid_redirect");
  if (code.codeChallenge !== (verifier === null ? undefined : challengeOf(verifier))) throw oauthError("invalid_grant");
  const { resource } = code.authentication;
  // Cognito wants a resource server of exactly this identifier, and refuses another only here.
  if (resource !== undefined && !pool.resourceServers.exists(resource)) throw oauthError("invalid_grant");
}

/** RFC 7636, 4.2: S256. */
function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

async function exchangeRefreshToken(pool: Pool, client: AppClient, form: URLSearchParams): Promise<TokenResponse> {
  const secret = form.get("refresh_token");
  if (!secret) throw oauthError("invalid_request", "refresh_token is needed");
  const { tokens, authentication, refreshToken } = await refresh(pool, client, secret);
  return tokenResponse(authentication, tokens, refreshToken);
}

/** An ID token is given only to a client that asked for the scope `openid`. */
function tokenResponse({ scopes }: Authentication, tokens: Tokens, refreshToken: string | undefined): TokenResponse {
  return {
    ...(scopes.includes("openid") && { id_token: tokens.idToken }),
    access_token: tokens.accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    expires_in: tokens.expiresIn,
    token_type: "Bearer",
  };
}

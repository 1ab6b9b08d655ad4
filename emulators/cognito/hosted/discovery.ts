// The pool's public documents: its key set and its OpenID configuration.
import type { PoolContext } from "./context.ts";

/** `GET /<pool>/.well-known/jwks.json` */
export async function jwks(context: PoolContext): Promise<Response> {
  const keys = await context.var.pool.keys.publicKeys();
  return context.json(keys, 200, { "cache-control": "public, max-age=3600" });
}

/**
 * `GET /<pool>/.well-known/openid-configuration`. The endpoints are on the sign-in host, also when the issuer's host is
 * asked. The key set stands where this document was read, since nobody but functions finds the issuer's host here. Like Cognito's document it names the implicit flow, which no client may use, and does not name PKCE
 * (github.com/anthropics/claude-code/issues/13275 quotes one).
 */
export function openidConfiguration(context: PoolContext): Response {
  const { id, issuer, domain } = context.var.pool;
  const askedAtIssuer = new URL(context.env.baseUrl).hostname === new URL(issuer).hostname;
  const baseUrl = askedAtIssuer ? `https://${domain}` : context.env.baseUrl;
  return context.json({
    authorization_endpoint: `${baseUrl}/oauth2/authorize`,
    end_session_endpoint: `${baseUrl}/logout`,
    id_token_signing_alg_values_supported: ["RS256"],
    issuer,
    jwks_uri: `${askedAtIssuer ? issuer : `${baseUrl}/${id}`}/.well-known/jwks.json`,
    response_types_supported: ["code", "token"],
    revocation_endpoint: `${baseUrl}/oauth2/revoke`,
    scopes_supported: ["openid", "email", "phone", "profile"],
    subject_types_supported: ["public"],
    token_endpoint: `${baseUrl}/oauth2/token`,
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    userinfo_endpoint: `${baseUrl}/oauth2/userInfo`,
  });
}

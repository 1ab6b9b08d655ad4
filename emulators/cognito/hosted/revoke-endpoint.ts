// `/oauth2/revoke`: ends the sign-in that a refresh token belongs to. An unknown token is no error (RFC 7009).
// The errors: docs.aws.amazon.com/cognito/latest/developerguide/revocation-endpoint.html. The page names none for another client's token.
import { authenticateClient, oauthError } from "./client-authentication.ts";
import type { PoolContext } from "./context.ts";

/** `POST /oauth2/revoke` */
export function revoke(context: PoolContext): Response {
  const { pool, form } = context.var;
  const client = authenticateClient(context, 401);
  const token = form.get("token");
  if (!token) throw oauthError("invalid_request", "token is needed");
  if (token.split(".").length === 3) throw oauthError("unsupported_token_type");
  const authentication = pool.authentications.ofRefreshToken(token);
  if (authentication && authentication.clientId !== client.id) throw oauthError("unauthorized_client");
  if (authentication) pool.authentications.revoke(authentication);
  return context.body(null);
}

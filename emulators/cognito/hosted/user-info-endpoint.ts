// `/oauth2/userInfo`: the attributes of the person behind an access token, as far as its scopes allow
// (docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html).
import { HTTPException } from "hono/http-exception";
import type { JWTPayload } from "jose";
import { AwsError } from "../../aws/service.ts";
import { allAttributes } from "../people/users.ts";
import type { Pool } from "../pool.ts";
import { attributesInScope, verifyAccessToken } from "../tokens.ts";
import type { PoolContext } from "./context.ts";

/** `GET` and `POST /oauth2/userInfo` */
export async function userInfo(context: PoolContext): Promise<Response> {
  const { pool } = context.var;
  const token = /^Bearer +(\S+)$/i.exec(context.req.header("authorization") ?? "")?.[1];
  if (!token) throw refusal(400, "invalid_request", "Bad OAuth2 request at UserInfo Endpoint");
  const claims = await verifyAccessToken(pool, token).catch((error: unknown) => {
    throw error instanceof AwsError ? refusal(401, "invalid_token", error.message) : error;
  });
  const scopes = claims.scope?.split(" ") ?? [];
  if (!scopes.includes("openid")) throw refusal(401, "invalid_token", "Access token does not contain openid scope");
  return context.json(attributesOf(pool, claims, scopes));
}

function attributesOf(pool: Pool, { username, client_id }: JWTPayload, scopes: string[]) {
  const user = pool.users.find(String(username));
  const client = pool.clients.find(String(client_id));
  if (!user || !client) throw refusal(401, "invalid_token", "The user or the client does not exist any more.");
  const { sub, identities } = allAttributes(user);
  const attributes = attributesInScope(user.attributes, scopes);
  return { sub, ...(identities && { identities }), ...attributes, username: user.username };
}

function refusal(status: 400 | 401, error: string, description: string): HTTPException {
  const headers = { "www-authenticate": `Bearer error="${error}", error_description="${description}"` };
  return new HTTPException(status, { res: Response.json({ error, error_description: description }, { headers }) });
}

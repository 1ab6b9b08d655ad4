// The user pool's endpoints for tokens, and its answer as this authorization server passes it on.
import * as z from "zod";
import { OAuthError, PoolUnavailable } from "./oauth-error.ts";

/** The id and, if it has one, the secret that a client has sent. */
export type ClientCredentials = { clientId: string; secret?: string | undefined };

export interface PoolEndpoints {
  /** @throws Error if there is no whole answer in time */
  token(form: Record<string, string>, client: ClientCredentials): Promise<{ status: number; body: string }>;
  /** Ends the sign-in of a refresh token. @throws Error if there is no whole answer in time */
  revoke(refreshToken: string, client: ClientCredentials): Promise<{ status: number; body: string }>;
}

const tokensSchema = z.object({
  access_token: z.string(),
  expires_in: z.number(),
  refresh_token: z.string().optional(),
});

const errorSchema = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/), error_description: z.string().optional() });

export type PoolTokens = {
  accessToken: string;
  expiresIn: number;
  refreshToken: string | undefined;
  sub: string;
  tenantId: string | undefined;
};

/**
 * The pool checks the secret of a gateway's client, which is kept nowhere here.
 * @throws OAuthError, or PoolUnavailable
 */
export async function poolTokens(
  pool: Pick<PoolEndpoints, "token">,
  form: Record<string, string>,
  client: ClientCredentials,
): Promise<PoolTokens> {
  const { status, body } = await pool.token(form, client).catch((cause: unknown) => {
    throw new PoolUnavailable("The user pool's token endpoint does not answer", { cause });
  });
  if (status !== 200) throw poolError(status, body);
  const tokens = tokensSchema.parse(JSON.parse(body));
  const { sub, tenant_id } = claimsOf(tokens.access_token);
  return {
    accessToken: tokens.access_token,
    expiresIn: tokens.expires_in,
    refreshToken: tokens.refresh_token,
    sub,
    tenantId: tenant_id,
  };
}

/** @throws OAuthError, or PoolUnavailable */
export function requireAnswered({ status, body }: { status: number; body: string }): void {
  if (status >= 300) throw poolError(status, body);
}

function poolError(status: number, body: string): Error {
  const parsed = status < 500 ? errorSchema.safeParse(jsonOf(body)) : undefined;
  if (!parsed?.success) return new PoolUnavailable(`The user pool answered with status ${status}`);
  const { error, error_description } = parsed.data;
  return new OAuthError(error, error_description ?? "The identity provider refuses this");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The claims of a token that the pool has just answered with, over its own connection. */
function claimsOf(token: string) {
  const [, payload = ""] = token.split(".");
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  return z.object({ sub: z.string(), tenant_id: z.string().optional() }).parse(claims);
}

// The authentication of clients at the token and revocation endpoints: by id, and by a secret in a Basic header or in the body.
import { createHash, timingSafeEqual } from "node:crypto";
import { HTTPException } from "hono/http-exception";
import type { AppClient } from "../clients.ts";
import type { PoolContext } from "./context.ts";

/** An OAuth error (RFC 6749, 5.2). */
export function oauthError(error: string, description?: string, status: 400 | 401 = 400): HTTPException {
  const body = { error, ...(description && { error_description: description }) };
  return new HTTPException(status, { res: Response.json(body) });
}

/** @throws HTTPException `invalid_client` with `failureStatus`; Cognito answers 400 on one endpoint and 401 on the other. */
export function authenticateClient(context: PoolContext, failureStatus: 400 | 401): AppClient {
  const { id, secret } = credentials(context);
  const client = context.var.pool.clients.find(id ?? "");
  if (!client || !isAccepted(client, secret)) throw oauthError("invalid_client", undefined, failureStatus);
  return client;
}

type Credentials = { id: string | undefined; secret: string | undefined };

/** The header counts before the body. Two different client ids count as none. */
function credentials({ req, var: { form } }: PoolContext): Credentials {
  const inBody = { id: form.get("client_id") ?? undefined, secret: form.get("client_secret") ?? undefined };
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(req.header("authorization") ?? "")?.[1];
  if (!encoded) return inBody;
  const [id = "", ...secret] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  if (inBody.id !== undefined && inBody.id !== decode(id)) return { id: undefined, secret: undefined };
  return { id: decode(id), secret: decode(secret.join(":")) };
}

/** The id and the secret in the header are form-encoded (RFC 6749, 2.3.1). */
function decode(part: string): string {
  return new URLSearchParams(`part=${part}`).get("part") ?? "";
}

/** Each secret of a client counts. A public client must send none. */
function isAccepted({ secrets }: AppClient, given: string | undefined): boolean {
  const expected = secrets.length > 0 ? secrets.map(({ value }) => value) : [undefined];
  return expected.filter((value) => equal(value, given)).length > 0;
}

function equal(expected: string | undefined, actual: string | undefined): boolean {
  const digest = (text = "") => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(expected), digest(actual));
}

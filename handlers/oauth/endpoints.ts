// The endpoints that an MCP client calls itself: registration, tokens, revocation.
import { registerClient } from "../../domain/connectors/client-registration.ts";
import { OAuthError } from "../../domain/connectors/oauth-error.ts";
import type { ClientCredentials } from "../../domain/connectors/pool-tokens.ts";
import { grantTokens, revokeToken } from "../../domain/connectors/token-grant.ts";
import { json } from "./answers.ts";
import type { OAuthDependencies } from "./dependencies.ts";
import type { OAuthAnswer, OAuthRequest } from "./message.ts";

/** `POST /register` (RFC 7591) */
export async function register({ sealing, clock }: OAuthDependencies, { body }: OAuthRequest): Promise<OAuthAnswer> {
  return json(201, await registerClient(sealing, jsonOf(body), clock()));
}

/** `POST /token` (RFC 6749) */
export async function token(deps: OAuthDependencies, request: OAuthRequest): Promise<OAuthAnswer> {
  const form = new URLSearchParams(request.body);
  return json(200, await grantTokens(deps, credentialsOf(request, form), form));
}

/** `POST /revoke` (RFC 7009) */
export async function revoke(deps: OAuthDependencies, request: OAuthRequest): Promise<OAuthAnswer> {
  const form = new URLSearchParams(request.body);
  const asked = form.get("token");
  if (!asked) throw new OAuthError("invalid_request", "token is missing");
  await revokeToken(deps, credentialsOf(request, form), asked);
  return json(200, {});
}

/** @throws OAuthError invalid_client: without an id, or with two */
function credentialsOf({ headers }: OAuthRequest, form: URLSearchParams): ClientCredentials {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(headers.authorization ?? "") ?? [];
  const inBody = form.get("client_id");
  if (encoded === undefined) {
    if (!inBody) throw new OAuthError("invalid_client", "client_id is missing");
    return { clientId: inBody, secret: form.get("client_secret") ?? undefined };
  }
  const [id = "", ...secret] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  if (inBody !== null && inBody !== decoded(id)) throw new OAuthError("invalid_client", "Two client ids are given");
  return { clientId: decoded(id), secret: decoded(secret.join(":")) };
}

/** Id and secret in the header are form-encoded (RFC 6749, 2.3.1). */
function decoded(part: string): string {
  return new URLSearchParams(`part=${part}`).get("part") ?? "";
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OAuthError("invalid_client_metadata", "The body must be JSON");
  }
}

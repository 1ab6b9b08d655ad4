// The parameters of an authorization request, which every sign-in page carries on in its address. Their meaning and the refusals
// are those of docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html.
import { HTTPException } from "hono/http-exception";
import { AwsError } from "../../aws/service.ts";
import { type AppClient, allowedUrl, allowsCodeFlow } from "../clients.ts";
import type { PoolContext } from "./context.ts";

export type AuthorizeRequest = {
  client: AppClient;
  redirectUri: string;
  scopes: string[];
  state: string | undefined;
  nonce: string | undefined;
  codeChallenge: string | undefined;
  /** RFC 8707: the API that the token is for. */
  resource: string | undefined;
  /** `COGNITO` or an external provider, if the client chose one. */
  provider: string | undefined;
  prompt: string[];
  loginHint: string | undefined;
  /** The parameters that the next page gets in its address. */
  parameters: URLSearchParams;
};

const known = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "resource",
  "identity_provider",
  "prompt",
  "login_hint",
];

const prompts = ["none", "login", "select_account", "consent"];

/**
 * @throws HTTPException: an error page if client or redirect URI are not known, and a redirect with the error for
 *   everything else.
 */
export function readAuthorizeRequest(context: PoolContext): AuthorizeRequest {
  const query = new URL(context.req.url).searchParams;
  const client = context.var.pool.clients.find(query.get("client_id") ?? "");
  if (!client || query.getAll("client_id").length > 1) throw new HTTPException(400, { message: "invalid_request" });
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!client.settings.callbackUrls.includes(redirectUri) || query.getAll("redirect_uri").length > 1) {
    throw new HTTPException(400, { message: "redirect_mismatch" });
  }
  // "You can't set the value of a state parameter to a URL-encoded JSON string" (the page above, which does not say what Cognito answers).
  if (isJson(query.get("state"))) throw new HTTPException(400, { message: "invalid_request" });
  const parameters = new URLSearchParams();
  for (const name of known) for (const value of query.getAll(name)) parameters.append(name, value);
  const get = (name: string) => parameters.get(name) || undefined;
  const request = {
    client,
    redirectUri,
    scopes: get("scope")?.split(/\s+/) ?? client.settings.allowedOauthScopes,
    state: get("state"),
    nonce: get("nonce"),
    codeChallenge: get("code_challenge"),
    resource: get("resource"),
    provider: get("identity_provider"),
    prompt: get("prompt")?.split(/\s+/) ?? [],
    loginHint: get("login_hint"),
    parameters,
  };
  check(context, request);
  return request;
}

function isJson(state: string | null): boolean {
  try {
    const value: unknown = JSON.parse(state ?? "null");
    return value !== null && typeof value === "object";
  } catch {
    return false;
  }
}

function check(context: PoolContext, request: AuthorizeRequest): void {
  const { client, parameters, prompt, provider, resource } = request;
  const { allowedOauthScopes, supportedIdentityProviders } = client.settings;
  const refuse = (error: string, description?: string): never => {
    throw new HTTPException(302, { res: redirectError(context, request, error, description) });
  };
  const twice = known.find((name) => parameters.getAll(name).length > 1);
  if (twice) refuse("invalid_request", `${twice} is given more than once`);
  const responseType = parameters.get("response_type");
  if (responseType !== "code" && responseType !== "token") refuse("invalid_request", "invalid response_type");
  if (responseType === "token" || !allowsCodeFlow(client)) refuse("unauthorized_client");
  // AWS's page has `invalid_scope` as the error; pools answer with it as the description (github.com/mlops-club/awscdk-minecraft/issues/40).
  if (!request.scopes.every((scope) => allowedOauthScopes.includes(scope)) || needsOpenid(request.scopes)) {
    refuse("invalid_request", "invalid_scope");
  }
  const challenge = parameters.get("code_challenge");
  const method = parameters.get("code_challenge_method");
  if ((challenge === null) !== (method === null))
    refuse("invalid_request", "code_challenge and its method go together");
  // "Amazon Cognito authentication server supports only S256", of RFC 7636's two methods.
  if (method !== null && method !== "S256") refuse("invalid_request", "code_challenge_method should be S256");
  if (challenge !== null && !/^[\w-]{43}$/.test(challenge)) refuse("invalid_request", "invalid code_challenge");
  if (!prompt.every((value) => prompts.includes(value))) refuse("invalid_request", "invalid prompt");
  if (prompt.includes("none") && prompt.length > 1) refuse("invalid_request", "invalid prompt");
  if (resource !== undefined && !allowedUrl(resource)) refuse("invalid_request", "resource is not an allowed URL");
  if (provider !== undefined && !supportedIdentityProviders.includes(provider)) {
    refuse("invalid_request", "identity_provider is not enabled for this client");
  }
}

/** The scopes email, phone and profile say what an ID token holds, so they need the scope openid that asks for one. */
function needsOpenid(scopes: string[]): boolean {
  return !scopes.includes("openid") && scopes.some((scope) => ["email", "phone", "profile"].includes(scope));
}

/** Sends the browser back to the client with an error. */
export function redirectError(
  context: PoolContext,
  { redirectUri, state }: Pick<AuthorizeRequest, "redirectUri" | "state">,
  error: string,
  description?: string,
): Response {
  return backToClient(context, redirectUri, { error, error_description: description, state });
}

/** Sends the browser back to the client with the words of a trigger that refused or of a clash of accounts. */
export function redirectFailure(context: PoolContext, request: AuthorizeRequest, failure: unknown): Response {
  if (failure instanceof AwsError) return redirectError(context, request, "invalid_request", failure.message);
  throw failure;
}

/** The redirect URI is used as registered, letter by letter. */
export function backToClient(
  context: PoolContext,
  redirectUri: string,
  values: Record<string, string | undefined>,
): Response {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return context.redirect(`${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`);
}

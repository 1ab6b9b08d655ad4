// `/oauth2/authorize` and `/logout`: a browser's way in and out, and the cookie that makes a second sign-in needless.
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { HTTPException } from "hono/http-exception";
import { issueCode } from "../people/sign-in.ts";
import { type BrowserSession, browserSessionMs } from "../people/sign-in-state.ts";
import {
  type AuthorizeRequest,
  backToClient,
  readAuthorizeRequest,
  redirectError,
  redirectFailure,
} from "./authorize-request.ts";
import { cookieOptions, linkTo, type PoolContext } from "./context.ts";

/** The name of Cognito's own cookie. */
const cookieName = "cognito";

/**
 * `GET /oauth2/authorize`. The browser's session lasts an hour from the sign-in and is not prolonged ("The one-hour
 * managed login session cookie" of docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html).
 */
export async function authorize(context: PoolContext): Promise<Response> {
  const request = readAuthorizeRequest(context);
  const session = request.prompt.includes("login") ? undefined : sessionFor(context, request);
  if (session) return sendCode(context, request, session.username);
  if (request.prompt.includes("none")) return redirectError(context, request, "login_required");
  const external = request.provider !== undefined && request.provider !== "COGNITO";
  return context.redirect(linkTo(context, external ? "/simulated-provider" : "/login", request.parameters));
}

/** Finds the browser's session, if the client takes its kind of sign-in. */
function sessionFor(context: PoolContext, request: AuthorizeRequest): BrowserSession | undefined {
  const { pool } = context.var;
  const session = pool.browserSessions.read(getCookie(context, cookieName))?.value;
  if (!session || !pool.users.find(session.username)) return undefined;
  const providers = request.provider ? [request.provider] : request.client.settings.supportedIdentityProviders;
  return providers.includes(session.provider) ? session : undefined;
}

/** Remembers a sign-in in the browser, and sends the browser back to the client. */
export function finishSignIn(
  context: PoolContext,
  request: AuthorizeRequest,
  session: BrowserSession,
): Promise<Response> {
  const { pool } = context.var;
  pool.browserSessions.forget(getCookie(context, cookieName));
  const secret = pool.browserSessions.issue(session, pool.now() + browserSessionMs);
  setCookie(context, cookieName, secret, { ...cookieOptions(context), maxAge: browserSessionMs / 1000 });
  return sendCode(context, request, session.username);
}

async function sendCode(context: PoolContext, request: AuthorizeRequest, username: string): Promise<Response> {
  const { client, scopes, resource, state, redirectUri } = request;
  const signIn = { username, clientId: client.id, scopes, ...(resource && { resource }) };
  try {
    const code = await issueCode(context.var.pool, signIn, { ...request, host: context.env.host });
    return backToClient(context, redirectUri, { code, state });
  } catch (error) {
    return redirectFailure(context, request, error);
  }
}

/**
 * `GET /logout` with a registered `logout_uri`, or with the parameters of the sign-in page. It signs nobody out at an
 * external provider (docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html).
 */
export function logout(context: PoolContext): Response {
  const { req, var: variables } = context;
  const client = variables.pool.clients.find(req.query("client_id") ?? "");
  if (!client) throw new HTTPException(400, { message: "invalid_request" });
  const uri = req.query("logout_uri");
  if (uri !== undefined && !client.settings.logoutUrls.includes(uri)) {
    throw new HTTPException(400, { message: "The logout_uri is not registered for this client." });
  }
  const target = uri ?? loginPage(context);
  variables.pool.browserSessions.forget(deleteCookie(context, cookieName, cookieOptions(context)));
  return context.redirect(target);
}

/**
 * The parameters of an authorization request that AWS's page on `/logout` names. Without scopes, that endpoint adds all scopes of the
 * client (docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html).
 */
const logoutParameters = ["client_id", "redirect_uri", "response_type", "state", "scope", "nonce"];

function loginPage(context: PoolContext): string {
  const { client, parameters } = readAuthorizeRequest(context);
  const passed = new URLSearchParams([...parameters].filter(([name]) => logoutParameters.includes(name)));
  if (!passed.has("scope")) passed.set("scope", client.settings.allowedOauthScopes.join(" "));
  return linkTo(context, "/login", passed);
}

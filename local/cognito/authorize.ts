// `/oauth2/authorize` and `/logout`: where browsers come in and go out, and the cookie that spares a second sign-in.
import type { AuthorizeRequest } from "./authorize-request.ts";
import { backToClient, readAuthorizeRequest, redirectError, redirectFailure } from "./authorize-request.ts";
import { type Answer, cookie, type Exchange, linkTo, redirect } from "./http.ts";
import { showError } from "./pages.ts";
import type { Pool } from "./pool.ts";
import { issueCode } from "./sign-in.ts";
import { type BrowserSession, browserSessionMilliseconds } from "./sign-in-state.ts";

/** The name of Cognito's own cookie. */
const cookieName = "cognito";

/** `GET /oauth2/authorize` */
export async function authorize(pool: Pool, exchange: Exchange): Promise<Answer> {
  const request = readAuthorizeRequest(pool, exchange.query);
  const session = request.prompt.includes("login") ? undefined : sessionFor(pool, exchange, request);
  if (session) return sendCode(pool, request, session.username);
  if (request.prompt.includes("none")) return redirectError(request, "login_required");
  const external = request.provider !== undefined && request.provider !== "COGNITO";
  return redirect(linkTo(exchange, external ? "/simulated-provider" : "/login", request.parameters));
}

/** The browser's session, if the client takes its kind of sign-in. */
function sessionFor(pool: Pool, exchange: Exchange, request: AuthorizeRequest): BrowserSession | undefined {
  const session = pool.browserSessions.read(exchange.cookies[cookieName])?.value;
  if (!session || !pool.users.find(session.username)) return undefined;
  const providers = request.provider ? [request.provider] : request.client.settings.supportedIdentityProviders;
  return providers.includes(session.provider) ? session : undefined;
}

/** Someone has signed in on a page: remembers it in the browser and goes back to the client. */
export function finishSignIn(
  pool: Pool,
  exchange: Exchange,
  request: AuthorizeRequest,
  session: BrowserSession,
): Promise<Answer> {
  pool.browserSessions.forget(exchange.cookies[cookieName]);
  const secret = pool.browserSessions.issue(session, pool.now() + browserSessionMilliseconds);
  const remember = cookie(exchange, cookieName, secret, browserSessionMilliseconds / 1000);
  return sendCode(pool, request, session.username, [remember]);
}

async function sendCode(
  pool: Pool,
  request: AuthorizeRequest,
  username: string,
  cookies: string[] = [],
): Promise<Answer> {
  const { client, scopes, resource, state, redirectUri } = request;
  const signIn = { username, clientId: client.id, scopes, ...(resource && { resource }) };
  try {
    const code = await issueCode(pool, signIn, request);
    return backToClient(redirectUri, { code, state }, cookies);
  } catch (error) {
    return redirectFailure(request, error, cookies);
  }
}

/** `GET /logout` with a registered `logout_uri`, or with what the sign-in page needs. */
export function logout(pool: Pool, exchange: Exchange): Answer {
  const { query, cookies } = exchange;
  const client = pool.clients.find(query.get("client_id") ?? "");
  if (!client) return showError(400, "invalid_request");
  const target = query.has("logout_uri") ? logoutUri(client.settings.logoutUrls, query) : loginPage(pool, exchange);
  if (!target) return showError(400, "The logout_uri is not registered for this client.");
  pool.browserSessions.forget(cookies[cookieName]);
  return redirect(target, [cookie(exchange, cookieName, "", 0)]);
}

function logoutUri(registered: string[], query: URLSearchParams): string | undefined {
  return registered.find((url) => url === query.get("logout_uri"));
}

function loginPage(pool: Pool, exchange: Exchange): string {
  return linkTo(exchange, "/login", readAuthorizeRequest(pool, exchange.query).parameters);
}

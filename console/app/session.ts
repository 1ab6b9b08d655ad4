// The sign-in: code flow with PKCE at the hosted pages. Access and ID token live in memory; the refresh token lies in this tab's storage,
// so that a reload asks nobody. Each refresh changes it, so one refresh happens at a time.
import * as oauth from "oauth4webapi";
import { platform, platformNow } from "./platform.ts";

const storedRefreshToken = "archway.refresh";
const storedSignIn = "archway.signing-in";
const storedSecondTry = "archway.second-try";

/** A token is renewed this long before its end, so that none ends on its way. */
const marginMs = 60_000;

/** The scope with which a token may change its person's own account. The console asks for it only to set up an authenticator app. */
export const ownAccountScope = "aws.cognito.signin.user.admin";

type PendingSignIn = { verifier: string; state: string; nonce: string; returnTo: string };

export type Claims = {
  sub: string;
  email?: string;
  tenant_id?: string;
  tenant_role?: string;
  platform_role?: string;
  scope?: string;
  auth_time?: number;
  exp: number;
};

/** The sign-in failed, with a reason for people. */
export class SignInError extends Error {}

let accessToken: string | undefined;
let refreshing: Promise<void> | undefined;
/**
 * True once the person has asked to sign out: a read that is refused meanwhile must not lead the browser to a sign-in, which would ask for
 * no password.
 */
let isSigningOut = false;

function server(): oauth.AuthorizationServer {
  const { issuer, auth_url } = platform();
  return {
    issuer,
    authorization_endpoint: `${auth_url}/oauth2/authorize`,
    token_endpoint: `${auth_url}/oauth2/token`,
    revocation_endpoint: `${auth_url}/oauth2/revoke`,
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

function client(): oauth.Client {
  const skewSeconds = Math.round((platformNow() - Date.now()) / 1_000);
  return { client_id: platform().clients.console.client_id, [oauth.clockSkew]: skewSeconds };
}

/** A laptop's stack has no TLS. */
function options() {
  return { [oauth.allowInsecureRequests]: platform().auth_url.startsWith("http:") };
}

function redirectUri(): string {
  const own = platform().clients.console.redirect_uris.find((uri) => new URL(uri).origin === location.origin);
  if (!own) throw new SignInError(`${location.origin} is not registered as an address of this console.`);
  return own;
}

/** The claims of the access token; undefined while nobody is signed in. */
export function claims(): Claims | undefined {
  if (!accessToken) return undefined;
  const [, payload = ""] = accessToken.split(".");
  const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
}

/** Leaves for the hosted pages. `further` are parameters of the authorization request, e.g. `prompt`. */
export async function signIn(
  returnTo = `${location.pathname}${location.search}`,
  further: Record<string, string> = {},
) {
  if (isSigningOut) await leaving();
  const waiting: PendingSignIn = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    returnTo: ownPath(returnTo),
  };
  sessionStorage.setItem(storedSignIn, JSON.stringify(waiting));
  const address = new URL(`${platform().auth_url}/oauth2/authorize`);
  address.search = new URLSearchParams({
    response_type: "code",
    client_id: client().client_id,
    redirect_uri: redirectUri(),
    scope: platform().clients.console.scopes.join(" "),
    state: waiting.state,
    nonce: waiting.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(waiting.verifier),
    code_challenge_method: "S256",
    ...further,
  }).toString();
  location.assign(address);
  await leaving();
}

/** Never ends: the page is being left. */
const leaving = () => new Promise<never>(() => {});

/** True while the address is the one to which the hosted pages return. */
export function isComingBack(): boolean {
  return location.pathname === new URL(redirectUri()).pathname;
}

/**
 * Ends a sign-in: takes code and state off the address, exchanges the code, and gives the path that was asked for.
 * @throws SignInError for what the hosted pages refused, or an answer that no sign-in of this tab waits for.
 */
export async function comeBack(): Promise<string> {
  const address = new URL(location.href);
  history.replaceState(null, "", "/");
  const stored = sessionStorage.getItem(storedSignIn);
  sessionStorage.removeItem(storedSignIn);
  // The address was opened again, or comes from another tab: a sign-in of its own is the answer.
  if (!stored) return (await restore()) ? "/" : signIn("/").then(() => "/");
  const { verifier, state, nonce, returnTo } = JSON.parse(stored) as PendingSignIn;
  try {
    const answer = oauth.validateAuthResponse(server(), client(), address, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server(),
      client(),
      oauth.None(),
      answer,
      redirectUri(),
      verifier,
      options(),
    );
    const checks = { expectedNonce: nonce, requireIdToken: true };
    take(await oauth.processAuthorizationCodeResponse(server(), client(), response, checks));
  } catch (error) {
    const provider = joinedProvider(error);
    if (!provider || sessionStorage.getItem(storedSecondTry)) throw new SignInError(reasonOf(error));
    sessionStorage.setItem(storedSecondTry, "yes");
    await signIn(returnTo, { identity_provider: provider });
  }
  sessionStorage.removeItem(storedSecondTry);
  return returnTo;
}

/** The first sign-in of a provider whose person has an account here joins it and ends so; the next one works (docs/sign-in.md). */
function joinedProvider(error: unknown): string | undefined {
  const [, name] = /Already found an entry for username ([^_]+)_/.exec(reasonOf(error)) ?? [];
  return platform().providers.find((provider) => provider.toLowerCase() === name?.toLowerCase());
}

/** A trigger's words are written for the person; Cognito's words before them are not shown. */
function reasonOf(error: unknown): string {
  const { error_description, message } = error as { error_description?: string; message?: string };
  return (error_description ?? message ?? "The sign-in failed.").replace(/^\w+ failed with error /, "");
}

/** Signs in by what this tab has kept; false if it has nothing that is still good. */
export async function restore(): Promise<boolean> {
  if (!sessionStorage.getItem(storedRefreshToken)) return false;
  try {
    await refresh();
    return true;
  } catch {
    return false;
  }
}

/** A token that is good for the next minute. @throws if nobody is signed in any more */
export async function token(): Promise<string> {
  const known = claims();
  if (!known || known.exp * 1_000 - platformNow() < marginMs) await refresh();
  if (!accessToken) throw new SignInError("Nobody is signed in.");
  return accessToken;
}

/** Gets new tokens, which name the workspace that was chosen last. Calls at the same time share one refresh. */
export function refresh(): Promise<void> {
  refreshing ??= exchange().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function exchange(): Promise<void> {
  const refreshToken = sessionStorage.getItem(storedRefreshToken);
  if (!refreshToken) throw new SignInError("Nobody is signed in.");
  const response = await oauth.refreshTokenGrantRequest(server(), client(), oauth.None(), refreshToken, options());
  try {
    take(await oauth.processRefreshTokenResponse(server(), client(), response));
  } catch (error) {
    // A refusal is final; a server that is down is not.
    if (!(error instanceof oauth.ResponseBodyError)) throw error;
    forget();
    throw new SignInError("The sign-in is over.");
  }
}

function take(answer: oauth.TokenEndpointResponse): void {
  accessToken = answer.access_token;
  if (answer.refresh_token) sessionStorage.setItem(storedRefreshToken, answer.refresh_token);
}

function forget(): void {
  accessToken = undefined;
  sessionStorage.removeItem(storedRefreshToken);
}

/** Ends the sign-in here and at the hosted pages. */
export async function signOut(): Promise<void> {
  isSigningOut = true;
  const refreshToken = sessionStorage.getItem(storedRefreshToken);
  forget();
  if (refreshToken) {
    await oauth
      .revocationRequest(server(), client(), oauth.None(), refreshToken, options())
      .then(oauth.processRevocationResponse)
      .catch(() => {}); // If the server cannot be reached, this tab at least is signed out.
  }
  const { auth_url, clients } = platform();
  const address = new URL(`${auth_url}/logout`);
  const back = clients.console.logout_uris.find((uri) => new URL(uri).origin === location.origin) ?? "";
  address.search = new URLSearchParams({ client_id: client().client_id, logout_uri: back }).toString();
  location.assign(address);
}

/** A path of this console; anything else becomes the first page. */
function ownPath(path: string): string {
  return /^\/(?![/\\])[^\\]*$/.test(path) && !path.startsWith("/callback") ? path : "/";
}

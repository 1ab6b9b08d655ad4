// The platform's OAuth endpoints: the code flow with PKCE, refresh and revocation, on oauth4webapi.
import { setTimeout } from "node:timers/promises";
import * as oauth from "oauth4webapi";
import { exitCodes, Failure } from "../../command-line/failure.ts";
import { isToken } from "../access-cache.ts";
import type { App } from "./discovery.ts";
import { request, secondsBehind } from "./http.ts";

const betweenRefreshesMs = 1_000;

/** Cognito's words before those of a trigger of the platform. Where they come with, and as which error, differs between its endpoints. */
const fromTrigger = /^\w+ (failed with|invocation failed due to) error /;

/** @property expiresIn seconds */
export type Tokens = {
  accessToken: string;
  refreshToken: string | undefined;
  expiresIn: number;
  email: string | undefined;
};

/** The secrets of a request for a code, kept until its answer comes. */
export type Authorization = { url: string; redirectUri: string; state: string; nonce: string; verifier: string };

/** @param asksAgain whether the person signs in although the browser knows them */
export async function authorizationRequest(app: App, redirectUri: string, asksAgain = false): Promise<Authorization> {
  const { client_id, scopes } = app.client;
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(asksAgain && { prompt: "login" }),
  });
  return { url: `${app.auth_url}/oauth2/authorize?${query}`, redirectUri, state, nonce, verifier };
}

/**
 * The sign-in at an external provider was tied to an account that there was: Cognito ends that one with an error, and the next one
 * works (docs/decisions/0027-linking.md).
 */
export function isToRepeat(answer: URLSearchParams): boolean {
  return /^Already found an entry for username /i.test(answer.get("error_description") ?? "");
}

/**
 * @param answer the query with which the browser came back
 * @throws Failure if the sign-in was refused, is of another request, or the tokens are not for this one.
 */
export async function tokensForCode(app: App, authorization: Authorization, answer: URLSearchParams): Promise<Tokens> {
  const { redirectUri, state, nonce, verifier } = authorization;
  const as = server(app);
  return explained("the sign-in failed", async () => {
    const parameters = oauth.validateAuthResponse(as, client(app), answer, state);
    const { response, now } = await timed((options) =>
      oauth.authorizationCodeGrantRequest(as, client(app), oauth.None(), parameters, redirectUri, verifier, options),
    );
    const checks = { expectedNonce: nonce, requireIdToken: true };
    return tokensOf(await oauth.processAuthorizationCodeResponse(as, client(app, now), response, checks));
  });
}

/**
 * Asks once more before it says that the sign-in has ended: a sign-in of 30 days is not to be lost by one answer.
 * @throws Failure; signInNeeded if the sign-in has ended.
 */
export async function refreshed(app: App, refreshToken: string): Promise<Tokens> {
  const ask = () =>
    explained("the token could not be refreshed", async () => {
      const { response, now } = await timed((options) =>
        oauth.refreshTokenGrantRequest(server(app), client(app), oauth.None(), refreshToken, options),
      );
      return tokensOf(await oauth.processRefreshTokenResponse(server(app), client(app, now), response));
    });
  try {
    return await ask();
  } catch (error) {
    if ((error as Failure).exitCode !== exitCodes.signInNeeded) throw error;
    await setTimeout(betweenRefreshesMs);
    return await ask();
  }
}

/**
 * The next tokens of one sign-in, each time it is called. A refresh token may be good once, so each new one is kept before anything
 * else is done with its tokens.
 */
export function refreshing(
  app: App,
  refreshToken: string,
  keep: (refreshToken: string) => Promise<void> = async () => {},
): () => Promise<Tokens & { refreshToken: string }> {
  let latest = refreshToken;
  return async () => {
    const tokens = await refreshed(app, latest);
    if (tokens.refreshToken) {
      latest = tokens.refreshToken;
      await keep(latest);
    }
    return { ...tokens, refreshToken: latest };
  };
}

/** Ends the sign-in at the platform. An unknown token is no failure. */
export async function revoked(app: App, refreshToken: string): Promise<void> {
  await explained("the sign-in could not be revoked", async () => {
    const { response } = await timed((options) =>
      oauth.revocationRequest(server(app), client(app), oauth.None(), refreshToken, options),
    );
    await oauth.processRevocationResponse(response);
  });
}

function server({ issuer, auth_url }: App): oauth.AuthorizationServer {
  const at = (name: string) => `${auth_url}/oauth2/${name}`;
  return { issuer, token_endpoint: at("token"), revocation_endpoint: at("revoke") };
}

/** @param skew seconds that this machine's clock is behind: a wrong clock makes no token invalid. */
function client({ client }: App, skew = 0): oauth.Client {
  return { client_id: client.client_id, [oauth.clockSkew]: skew, [oauth.clockTolerance]: 60 };
}

type Options = { [oauth.customFetch]: typeof fetch; [oauth.allowInsecureRequests]: true };

/** Addresses without TLS are only those on this machine: `safeUrl` has seen to it. */
async function timed(send: (options: Options) => Promise<Response>): Promise<{ response: Response; now: number }> {
  const bounded = (url: unknown, init: unknown) => request(String(url), init as RequestInit);
  const response = await send({ [oauth.customFetch]: bounded as typeof fetch, [oauth.allowInsecureRequests]: true });
  return { response, now: secondsBehind(response, Date.now()) ?? 0 };
}

function tokensOf(response: oauth.TokenEndpointResponse): Tokens {
  const { access_token, refresh_token, expires_in } = response;
  if (!isToken(access_token))
    throw new Failure("unreachable", "the platform's access token cannot be used: it is too long or not ASCII");
  const email = oauth.getValidatedIdTokenClaims(response)?.email;
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresIn: expires_in ?? 300,
    email: typeof email === "string" ? email : undefined,
  };
}

async function explained<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explain(what, error);
  }
}

function explain(what: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof oauth.ResponseBodyError) {
    const said = error.error_description ?? error.error;
    // A trigger that fails has not judged the sign-in: it is as good as before.
    if (fromTrigger.test(said)) return new Failure("unreachable", `${what}: ${said.replace(fromTrigger, "")}`);
    if (error.error === "invalid_grant")
      return new Failure("signInNeeded", `${what}: the sign-in has ended, or was used already`);
    const kind = error.status >= 500 ? "unreachable" : "failed";
    return new Failure(kind, `${what}: ${said}`);
  }
  if (error instanceof oauth.AuthorizationResponseError) {
    // The words of a trigger of ours are written for the person.
    const said = error.error_description?.replace(fromTrigger, "");
    return new Failure("failed", `${what}: ${said ?? error.error}`);
  }
  // The library's words: "unexpected ... response parameter value", "... claim value".
  return new Failure("unreachable", `${what}: ${(error as Error).message}`);
}

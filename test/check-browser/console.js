// The smallest page of a console: what docs/sign-in.md asks of one, in a browser's own JavaScript, and nothing else.
import * as oauth from "/oauth4webapi.js";

const config = await (await fetch("/config.json")).json();
const platform = await (await fetch(`${config.platform_url}/.well-known/archway.json`)).json();
const { issuer, openid_configuration_url, api_url, providers } = platform;
const { client_id, redirect_uris, logout_uris, scopes } = platform.clients.console;
const redirect_uri = redirect_uris.find((uri) => uri.startsWith(location.origin));
const scope = scopes.join(" ");
const client = { client_id };
/** With this a token changes its person's own account: asked for only to set up an authenticator app, and dropped after. */
const ownAccountScope = "aws.cognito.signin.user.admin";
// The local stack has no TLS.
const options = { [oauth.allowInsecureRequests]: true };
const server = await oauth.processDiscoveryResponse(new URL(issuer), await fetch(openid_configuration_url));

const element = (id) => document.getElementById(id);
const claimsOf = (token) => JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));

/** Tokens live in memory; a page that is loaded anew signs in again, without a question. */
let tokens;
let refreshToken;

async function signIn(further = {}) {
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ];
  sessionStorage.setItem("signing-in", JSON.stringify({ verifier, state, nonce }));
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri,
    scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...further,
  });
  location.assign(address);
}

async function comeBack() {
  const { verifier, state, nonce } = JSON.parse(sessionStorage.getItem("signing-in") ?? "{}");
  sessionStorage.removeItem("signing-in");
  const address = new URL(location.href);
  // Neither code nor state stays in the address.
  history.replaceState(null, "", "/");
  const answer = oauth.validateAuthResponse(server, client, address, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    redirect_uri,
    verifier,
    options,
  );
  const checks = { expectedNonce: nonce, requireIdToken: true };
  await take(await oauth.processAuthorizationCodeResponse(server, client, response, checks));
}

/** A client whose refresh tokens rotate gets the next one with each answer. */
function take(answer) {
  tokens = answer;
  refreshToken = answer.refresh_token ?? refreshToken;
  return show();
}

async function refresh() {
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
  await take(await oauth.processRefreshTokenResponse(server, client, response));
}

function call(method, path, body) {
  const headers = { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" };
  return fetch(api_url + path, { method, headers, body: body && JSON.stringify(body) });
}

async function create() {
  const answer = await call("POST", "/v1/tenants", { name: element("create").dataset.name });
  if (!answer.ok) throw new Error(await answer.text());
  await refresh();
}

async function callUserPool(operation, input) {
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": `AWSCognitoIdentityProviderService.${operation}`,
  };
  const body = JSON.stringify({ AccessToken: tokens.access_token, ...input });
  const answer = await fetch(config.user_pool_url, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** The first time it signs in again, for a token that may; the second time it shows the secret; then it takes the app's code. */
async function setUpApp() {
  const mayChange = claimsOf(tokens.access_token).scope.split(" ").includes(ownAccountScope);
  if (!mayChange) return signIn({ scope: `${scope} ${ownAccountScope}`, prompt: "login" });
  const UserCode = element("code").value;
  if (UserCode) {
    await callUserPool("VerifySoftwareToken", { UserCode });
    await callUserPool("SetUserMFAPreference", { SoftwareTokenMfaSettings: { Enabled: true, PreferredMfa: true } });
    element("code").value = "";
    await refresh();
  } else {
    const { SecretCode } = await callUserPool("AssociateSoftwareToken", {});
    element("secret").textContent = SecretCode;
    element("state").textContent = "signed in";
  }
}

async function signOut() {
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.None(), refreshToken, options),
  );
  const address = new URL(server.end_session_endpoint);
  address.search = new URLSearchParams({
    client_id,
    logout_uri: logout_uris.find((uri) => uri.startsWith(location.origin)),
  });
  location.assign(address);
}

/** Who is signed in, by each endpoint that knows. */
async function show() {
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  const person = await oauth.processUserInfoResponse(
    server,
    client,
    claims.sub,
    await oauth.userInfoRequest(server, client, tokens.access_token, options),
  );
  const mine = await call("GET", "/v1/tenants/my");
  const me = await (await call("GET", "/v1/me")).json();
  const shown = { id: claims, access: claimsOf(tokens.access_token), person, me };
  element("shown").textContent = JSON.stringify({ ...shown, mine: { status: mine.status, body: await mine.json() } });
  element("state").textContent = "signed in";
}

/** A refusal of a trigger comes as `error_description`, with Cognito's words before it. */
function showProblem(error) {
  const description = error.error_description ?? error.message;
  element("problem").textContent = description.replace(/^\w+ failed with error /, "");
  element("state").textContent = "failed";
}

async function attempt(act) {
  element("state").textContent = "working";
  element("problem").textContent = "";
  try {
    await act();
  } catch (error) {
    showProblem(error);
  }
}

/** So ends the first sign-in of a provider whose person has an account here already: it joined the account, and the next one works. */
const hasJoined = /^Already found an entry for username ([^_]+)_/;

async function comeBackOrTryAgain() {
  try {
    await comeBack();
  } catch (error) {
    const [, name] = hasJoined.exec(error.error_description) ?? [];
    const identity_provider = providers.find((provider) => provider.toLowerCase() === name?.toLowerCase());
    if (!identity_provider || sessionStorage.getItem("tried-again")) throw error;
    sessionStorage.setItem("tried-again", "true");
    return signIn({ identity_provider });
  }
  sessionStorage.removeItem("tried-again");
}

const actions = {
  "sign-in": signIn,
  create,
  refresh,
  "set-up-app": setUpApp,
  "sign-out": signOut,
};
for (const [id, act] of Object.entries(actions)) element(id).addEventListener("click", () => attempt(() => act()));
element("state").textContent = "signed out";
if (location.pathname === new URL(redirect_uri).pathname) await attempt(comeBackOrTryAgain);

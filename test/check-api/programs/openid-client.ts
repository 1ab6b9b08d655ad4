// A first day by openid-client, which checks every answer that OpenID Connect says to check, the ID token's signature too.
import assert from "node:assert/strict";
import * as oidc from "openid-client";
import { readPlatform, type SignIn, throughBrowser, workThroughADay } from "./day.ts";

const platform = await readPlatform();
const { client_id, redirect_uris, logout_uris, scopes } = platform.clients.console;
const metadata = await (await fetch(platform.openid_configuration_url)).json();
const config = new oidc.Configuration(metadata, client_id, undefined, oidc.None());
// A laptop has no TLS.
if (!platform.auth_url.startsWith("https:")) oidc.allowInsecureRequests(config);
oidc.enableNonRepudiationChecks(config);

await workThroughADay(async (email): Promise<SignIn> => {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirect_uris[0],
    scope: scopes.join(" "),
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  const back = await throughBrowser(email, address);
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
  let tokens = await oidc.authorizationCodeGrant(config, back, checks);
  const { sub = "" } = tokens.claims() ?? {};
  assert.equal((await oidc.fetchUserInfo(config, tokens.access_token, sub)).email, email);
  return {
    fetch: (url, { method, body, headers }) =>
      oidc.fetchProtectedResource(config, tokens.access_token, new URL(url), method, body, new Headers(headers)),
    async refresh() {
      tokens = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? "");
    },
    async end() {
      await oidc.tokenRevocation(config, tokens.refresh_token ?? "");
      const [logout_uri] = logout_uris;
      const left = await fetch(oidc.buildEndSessionUrl(config, { logout_uri }), { redirect: "manual" });
      assert.equal(left.headers.get("location"), logout_uri);
    },
  };
});

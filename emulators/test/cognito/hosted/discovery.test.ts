import { expect, test } from "@jest/globals";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { callback, poolId, publicClient } from "../declarations.ts";
import { authorizeUrl, Browser, signInWithPkce, start } from "../harness.ts";

const email = "ann@example.com";
const issuer = `https://cognito-idp.eu-central-1.amazonaws.com/${poolId}`;

test("the key set verifies access tokens and ID tokens, and has no private part", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const tokens = await signInWithPkce(stack, email);
  const url = new URL(`${stack.baseUrl}/${poolId}/.well-known/jwks.json`);
  const keys = createRemoteJWKSet(url);
  const access = await jwtVerify(tokens.access_token, keys, { issuer });
  const id = await jwtVerify(tokens.id_token, keys, { issuer, audience: "public" });
  expect(access.protectedHeader).toEqual({ alg: "RS256", kid: expect.any(String) });
  expect(access.protectedHeader.kid).not.toBe(id.protectedHeader.kid);
  const published = (await (await fetch(url)).json()) as { keys: object[] };
  for (const key of published.keys) expect(Object.keys(key).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
});

test("the discovery document names the same issuer as tokens, and the key set and endpoints of the sign-in host", async () => {
  await using stack = await start({ prefix: "/@auth" });
  const response = await fetch(`${stack.baseUrl}/${poolId}/.well-known/openid-configuration`);
  const configuration = (await response.json()) as Record<string, string>;
  expect(configuration).toMatchObject({ issuer, jwks_uri: `${stack.baseUrl}/${poolId}/.well-known/jwks.json` });
  const { authorization_endpoint, token_endpoint, revocation_endpoint, userinfo_endpoint } = configuration;
  expect([authorization_endpoint, token_endpoint, revocation_endpoint, userinfo_endpoint]).toEqual(
    ["authorize", "token", "revoke", "userInfo"].map((name) => `${stack.baseUrl}/oauth2/${name}`),
  );
  expect(configuration.response_types_supported).toEqual(["code", "token"]);
  expect(configuration).not.toHaveProperty("code_challenge_methods_supported");
});

test("the discovery document at the issuer's host names the sign-in host, too", async () => {
  await using stack = await start({ host: "cognito-idp.eu-central-1.amazonaws.com" });
  const response = await fetch(`${stack.baseUrl}/${poolId}/.well-known/openid-configuration`);
  expect(await response.json()).toMatchObject({
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    token_endpoint: "https://auth.localhost/oauth2/token",
  });
});

test("the discovery document and the key set exist only for this pool", async () => {
  await using stack = await start();
  const response = await fetch(`${stack.baseUrl}/eu-central-1_other/.well-known/jwks.json`);
  expect(response.status).toBe(404);
});

test("a client library that does not know Cognito signs in, refreshes and revokes by the discovery document", async () => {
  const refreshTokenRotation = { feature: "ENABLED", retryGracePeriodSeconds: 60 };
  await using stack = await start({ clients: [{ ...publicClient, refreshTokenRotation }] });
  await stack.addUser(email);
  const document = await fetch(`${stack.baseUrl}/${poolId}/.well-known/openid-configuration`);
  const server = await oauth.processDiscoveryResponse(new URL(issuer), document);
  const [client, publicly] = [{ client_id: "public" }, oauth.None()];
  const options = { [oauth.allowInsecureRequests]: true };

  const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), "a state", oauth.generateRandomNonce()];
  const code_challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const url = authorizeUrl(stack, { state, nonce, code_challenge, code_challenge_method: "S256" });
  const { leftFor } = await new Browser(stack).signIn(url, email);
  const answer = oauth.validateAuthResponse(server, client, leftFor as URL, state);
  const signedIn = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, publicly, answer, callback, verifier, options),
    { expectedNonce: nonce, requireIdToken: true },
  );

  const refresh = async (token = "") =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, publicly, token, options),
    );
  const refreshed = await refresh(signedIn.refresh_token);
  expect(refreshed.refresh_token).not.toBe(signedIn.refresh_token);
  // A client that could not store the new token asks again with the old one.
  const again = await refresh(signedIn.refresh_token);
  stack.clock.advance(60_000);
  await expect(refresh(signedIn.refresh_token)).rejects.toMatchObject({ error: "invalid_grant" });

  const revoked = await oauth.revocationRequest(server, client, publicly, again.refresh_token ?? "", options);
  await oauth.processRevocationResponse(revoked);
  await expect(refresh(refreshed.refresh_token)).rejects.toMatchObject({ error: "invalid_grant" });
});

import { expect, test } from "@jest/globals";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { poolId, postToken, publicClient, type Stack, secretClient, signInWithPkce, start } from "./harness.ts";

const email = "ann@example.com";
const issuer = `https://cognito-idp.eu-central-1.amazonaws.com/${poolId}`;

async function userInfo({ baseUrl }: Stack, token: string, path = "/oauth2/userInfo") {
  const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, challenge: response.headers.get("www-authenticate"), body: await response.json() };
}

async function revoke({ baseUrl }: Stack, form: Record<string, string>) {
  const response = await fetch(`${baseUrl}/oauth2/revoke`, { method: "POST", body: new URLSearchParams(form) });
  return { status: response.status, body: await response.text() };
}

test("userInfo tells about the person, under both spellings", async () => {
  await using stack = await start();
  const { sub } = await stack.addUser(email);
  const { access_token } = await signInWithPkce(stack, email);
  const expected = { status: 200, body: { sub, email, email_verified: "true", username: sub } };
  expect(await userInfo(stack, access_token)).toMatchObject(expected);
  expect(await userInfo(stack, access_token, "/oauth2/userinfo")).toMatchObject(expected);
});

test("userInfo shows what the scopes show", async () => {
  await using stack = await start();
  const { username } = await stack.addUser(email);
  const UserAttributes = [{ Name: "name", Value: "Ann" }];
  await stack.call("AdminUpdateUserAttributes", { UserPoolId: poolId, Username: username, UserAttributes });
  const narrow = await signInWithPkce(stack, email, { scope: "openid email" });
  expect((await userInfo(stack, narrow.access_token)).body).not.toHaveProperty("name");
  const wide = await signInWithPkce(stack, email, { scope: "openid profile" });
  expect((await userInfo(stack, wide.access_token)).body).toMatchObject({ name: "Ann", email });
});

test("userInfo refuses tokens that are no good", async () => {
  await using stack = await start();
  const { username } = await stack.addUser(email);
  const tokens = await signInWithPkce(stack, email);
  const forged = `${tokens.access_token.slice(0, -8)}AAAAAAAA`;
  for (const token of ["nonsense", forged, tokens.id_token]) {
    expect(await userInfo(stack, token)).toMatchObject({ status: 401, body: { error: "invalid_token" } });
  }
  const without = await signInWithPkce(stack, email, { scope: "platform/proxy:invoke" });
  expect((await userInfo(stack, without.access_token)).body).toEqual({
    error: "invalid_token",
    error_description: "Access token does not contain openid scope",
  });
  expect((await fetch(`${stack.baseUrl}/oauth2/userInfo`)).status).toBe(400);
  await stack.call("AdminUserGlobalSignOut", { UserPoolId: poolId, Username: username });
  const after = await userInfo(stack, tokens.access_token);
  expect(after).toMatchObject({ status: 401, challenge: expect.stringContaining('Bearer error="invalid_token"') });
});

test("an access token ends with the clock", async () => {
  const client = { ...publicClient, accessTokenValidity: 5, tokenValidityUnits: { accessToken: "minutes" } };
  await using stack = await start({ clients: [client] });
  await stack.addUser(email);
  const { access_token, expires_in } = await signInWithPkce(stack, email);
  expect(expires_in).toBe(300);
  stack.clock.advance(290_000);
  expect((await userInfo(stack, access_token)).status).toBe(200);
  stack.clock.advance(11_000);
  expect((await userInfo(stack, access_token)).status).toBe(401);
});

test("revoking ends the refresh token and every token of that sign-in, and no other", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const [one, other] = [await signInWithPkce(stack, email), await signInWithPkce(stack, email)];
  const refresh = { grant_type: "refresh_token", client_id: "public", refresh_token: one.refresh_token };
  const renewed = await postToken(stack, refresh);
  expect(await revoke(stack, { token: one.refresh_token, client_id: "public" })).toEqual({ status: 200, body: "" });
  expect(await postToken(stack, refresh)).toMatchObject({ error: "invalid_grant" });
  expect((await userInfo(stack, one.access_token)).status).toBe(401);
  expect((await userInfo(stack, renewed.access_token)).status).toBe(401);
  expect((await userInfo(stack, other.access_token)).status).toBe(200);
});

test("revoking refuses what it should", async () => {
  await using stack = await start({
    clients: [publicClient, secretClient, { ...publicClient, id: "off", enableTokenRevocation: false }],
  });
  await stack.addUser(email);
  const { refresh_token: token, access_token } = await signInWithPkce(stack, email);
  const error = async (form: Record<string, string>) => {
    const { status, body } = await revoke(stack, form);
    return [status, body && JSON.parse(body).error];
  };
  expect(await error({ client_id: "public" })).toEqual([400, "invalid_request"]);
  expect(await error({ token, client_id: "nobody" })).toEqual([401, "invalid_client"]);
  expect(await error({ token, client_id: "confidential" })).toEqual([401, "invalid_client"]);
  expect(await error({ token, client_id: "off" })).toEqual([400, "invalid_request"]);
  expect(await error({ token: access_token, client_id: "public" })).toEqual([400, "unsupported_token_type"]);
  const other = { client_id: "confidential", client_secret: secretClient.clientSecret };
  expect(await error({ token, ...other })).toEqual([400, "unauthorized_client"]);
  expect(await error({ token: "unknown", client_id: "public" })).toEqual([200, ""]);
  const refresh = { grant_type: "refresh_token", client_id: "public", refresh_token: token };
  expect(await postToken(stack, refresh)).toMatchObject({ status: 200 });
});

test("the key set verifies both tokens and holds no private part", async () => {
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

test("the configuration names the issuer and the endpoints of the sign-in host", async () => {
  await using stack = await start({ prefix: "/@auth" });
  const response = await fetch(`${stack.baseUrl}/${poolId}/.well-known/openid-configuration`);
  const configuration = (await response.json()) as Record<string, string>;
  expect(configuration).toMatchObject({ issuer, jwks_uri: `${issuer}/.well-known/jwks.json` });
  const { authorization_endpoint, token_endpoint, revocation_endpoint, userinfo_endpoint } = configuration;
  expect([authorization_endpoint, token_endpoint, revocation_endpoint, userinfo_endpoint]).toEqual(
    ["authorize", "token", "revoke", "userInfo"].map((name) => `${stack.baseUrl}/oauth2/${name}`),
  );
  expect(configuration).not.toHaveProperty("code_challenge_methods_supported");
});

test("asked at the issuer's host, the configuration still names the sign-in host", async () => {
  await using stack = await start({ host: "cognito-idp.eu-central-1.amazonaws.com" });
  const response = await fetch(`${stack.baseUrl}/${poolId}/.well-known/openid-configuration`);
  expect(await response.json()).toMatchObject({ issuer, token_endpoint: "https://auth.localhost/oauth2/token" });
});

test("the documents belong to this pool only", async () => {
  await using stack = await start();
  const response = await fetch(`${stack.baseUrl}/eu-central-1_other/.well-known/jwks.json`);
  expect(response.status).toBe(404);
});

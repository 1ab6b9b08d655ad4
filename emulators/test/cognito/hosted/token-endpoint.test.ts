import { expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { callback, declaredServer, poolId, publicClient, secretClient } from "../declarations.ts";
import { authorizeUrl, Browser, pkce, postToken, type Stack, signInWithPkce, start } from "../harness.ts";

const email = "ann@example.com";

/** A code of the public client, and what redeems it. */
async function codeFor(stack: Stack, changes: Record<string, string> = {}) {
  const { verifier, challenge } = pkce();
  const url = authorizeUrl(stack, { code_challenge: challenge, code_challenge_method: "S256", ...changes });
  const { leftFor } = await new Browser(stack).signIn(url, email);
  return {
    grant_type: "authorization_code",
    client_id: "public",
    redirect_uri: callback,
    code: leftFor?.searchParams.get("code") ?? "",
    code_verifier: verifier,
  };
}

test("a code is exchanged for tokens only once", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const form = await codeFor(stack);
  const tokens = await postToken(stack, form);
  expect(Object.keys(tokens).sort()).toEqual([
    "access_token",
    "expires_in",
    "id_token",
    "refresh_token",
    "status",
    "token_type",
  ]);
  expect(await postToken(stack, form)).toEqual({ status: 400, error: "invalid_grant" });
});

test("only one of two simultaneous exchanges of a code gets tokens", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const form = await codeFor(stack);
  const answers = await Promise.all([postToken(stack, form), postToken(stack, form)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test("a wrong PKCE verifier invalidates the code", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const form = await codeFor(stack);
  expect(await postToken(stack, { ...form, code_verifier: pkce().verifier })).toMatchObject({ error: "invalid_grant" });
  expect(await postToken(stack, form)).toMatchObject({ error: "invalid_grant" });
});

test("a PKCE verifier is required if a challenge was given, and refused otherwise", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const { code_verifier: _, ...without } = await codeFor(stack);
  expect(await postToken(stack, without)).toMatchObject({ error: "invalid_grant" });
  const { leftFor } = await new Browser(stack).signIn(authorizeUrl(stack), email);
  const code = leftFor?.searchParams.get("code") ?? "";
  const unasked = { ...without, code, code_verifier: pkce().verifier };
  expect(await postToken(stack, unasked)).toMatchObject({ error: "invalid_grant" });
});

test("a redirect URI that differs is refused, in Cognito's words", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const form = { ...(await codeFor(stack)), redirect_uri: "myapp://signed-in" };
  expect(await postToken(stack, form)).toEqual({
    status: 400,
    error: "unauthorized_client",
    error_description: "invalid_redirect",
  });
});

test("a code expires after five minutes", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const form = await codeFor(stack);
  stack.clock.advance(5 * 60_000);
  expect(await postToken(stack, form)).toMatchObject({ error: "invalid_grant" });
});

test("a code is refused for another client, and stays valid for its own client", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const form = await codeFor(stack);
  const { clientSecret } = secretClient;
  const stolen = { ...form, client_id: "confidential", client_secret: clientSecret };
  expect(await postToken(stack, stolen)).toMatchObject({ error: "invalid_grant" });
  expect(await postToken(stack, form)).toMatchObject({ status: 200 });
});

test("the code of a deleted person is refused", async () => {
  await using stack = await start();
  const { username } = await stack.addUser(email);
  const form = await codeFor(stack);
  await stack.call("AdminDeleteUser", { UserPoolId: poolId, Username: username });
  expect(await postToken(stack, form)).toMatchObject({ error: "invalid_grant" });
});

test("without the scope openid there is no ID token", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const tokens = await signInWithPkce(stack, email, { scope: "platform/proxy:invoke" });
  expect(tokens.id_token).toBeUndefined();
  expect(decodeJwt(tokens.access_token).scope).toBe("platform/proxy:invoke");
});

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});

test.each([
  ["in the header", {}, basic("confidential", encodeURIComponent(secretClient.clientSecret)), "invalid_grant"],
  ["in the body", { client_id: "confidential", client_secret: secretClient.clientSecret }, {}, "invalid_grant"],
  ["wrong in the header", {}, basic("confidential", "guess"), "invalid_client"],
  ["wrong in the body", { client_id: "confidential", client_secret: "guess" }, {}, "invalid_client"],
  ["missing", { client_id: "confidential" }, {}, "invalid_client"],
  [
    "in the header for another client than the body says",
    { client_id: "public" },
    basic("confidential", encodeURIComponent(secretClient.clientSecret)),
    "invalid_client",
  ],
  ["of a client that does not exist", { client_id: "nobody", client_secret: "guess" }, {}, "invalid_client"],
])("a client secret %s is checked before the grant", async (_case, form, headers, error) => {
  await using stack = await start();
  const answer = await postToken(stack, { grant_type: "refresh_token", refresh_token: "x", ...form }, headers);
  expect(answer).toMatchObject({ status: 400, error });
});

test("a public client that sends a secret is refused", async () => {
  await using stack = await start();
  const form = { grant_type: "refresh_token", refresh_token: "x", client_id: "public", client_secret: "y" };
  expect(await postToken(stack, form)).toMatchObject({ error: "invalid_client" });
});

test.each([
  [{}, "invalid_request"],
  [{ grant_type: "password" }, "unsupported_grant_type"],
  [{ grant_type: "constructor" }, "unsupported_grant_type"],
  [{ grant_type: "authorization_code", client_id: "public" }, "invalid_request"],
  [{ grant_type: "refresh_token", client_id: "public" }, "invalid_request"],
  [{ grant_type: "refresh_token", client_id: "public", refresh_token: "x" }, "invalid_grant"],
  [{ grant_type: "client_credentials", client_id: "public" }, "unsupported_grant_type"],
] as [Record<string, string>, string][])("a token request with %j is refused with %s", async (form, error) => {
  await using stack = await start();
  expect(await postToken(stack, form)).toMatchObject({ status: 400, error });
});

const refreshForm = (refresh_token: string) => ({ grant_type: "refresh_token", client_id: "public", refresh_token });

test("a refresh token gives new tokens of the same sign-in, and stays valid", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const first = await signInWithPkce(stack, email);
  stack.clock.advance(3_600_000);
  const second = await postToken(stack, refreshForm(first.refresh_token));
  expect(second).toMatchObject({ status: 200, expires_in: 3600 });
  expect(second.refresh_token).toBeUndefined();
  const [before, after] = [decodeJwt(first.access_token), decodeJwt(second.access_token)];
  for (const claim of ["sub", "origin_jti", "auth_time", "scope"]) expect(after[claim]).toBe(before[claim]);
  expect(after.jti).not.toBe(before.jti);
  expect(Number(after.iat) - Number(before.iat)).toBeGreaterThanOrEqual(3600);
  expect(stack.events.at(-1)?.triggerSource).toBe("TokenGeneration_RefreshTokens");
  expect(await postToken(stack, refreshForm(first.refresh_token))).toMatchObject({ status: 200 });
});

test("a refresh token is valid for as long as its client says", async () => {
  const client = { ...publicClient, refreshTokenValidity: 2, tokenValidityUnits: { refreshToken: "hours" } };
  await using stack = await start({ clients: [client] });
  await stack.addUser(email);
  const { refresh_token } = await signInWithPkce(stack, email);
  stack.clock.advance(2 * 3_600_000 - 60_000);
  expect(await postToken(stack, refreshForm(refresh_token))).toMatchObject({ status: 200 });
  stack.clock.advance(60_000);
  expect(await postToken(stack, refreshForm(refresh_token))).toMatchObject({ error: "invalid_grant" });
});

test("a refresh token is refused for another client", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const { refresh_token } = await signInWithPkce(stack, email);
  const { clientSecret: client_secret } = secretClient;
  const form = { grant_type: "refresh_token", client_id: "confidential", client_secret, refresh_token };
  expect(await postToken(stack, form)).toMatchObject({ error: "invalid_grant" });
});

const rotating = (retryGracePeriodSeconds: number) => ({
  ...publicClient,
  refreshTokenRotation: { feature: "ENABLED", retryGracePeriodSeconds },
});

test("with rotation each refresh token is valid once", async () => {
  await using stack = await start({ clients: [rotating(0)] });
  await stack.addUser(email);
  const first = await signInWithPkce(stack, email);
  const second = await postToken(stack, refreshForm(first.refresh_token));
  expect(second.refresh_token).toMatch(/^[\w-]{43}$/);
  expect(await postToken(stack, refreshForm(first.refresh_token))).toMatchObject({ error: "invalid_grant" });
  expect(await postToken(stack, refreshForm(second.refresh_token))).toMatchObject({ status: 200 });
});

test("with rotation only one of two simultaneous refreshes gets tokens", async () => {
  await using stack = await start({ clients: [rotating(0)] });
  await stack.addUser(email);
  const { refresh_token } = await signInWithPkce(stack, email);
  const form = refreshForm(refresh_token);
  const answers = await Promise.all([postToken(stack, form), postToken(stack, form)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test("a replaced refresh token is accepted within the grace period, and not afterwards", async () => {
  await using stack = await start({ clients: [rotating(10)] });
  await stack.addUser(email);
  const { refresh_token } = await signInWithPkce(stack, email);
  await postToken(stack, refreshForm(refresh_token));
  stack.clock.advance(9_000);
  expect(await postToken(stack, refreshForm(refresh_token))).toMatchObject({ status: 200 });
  stack.clock.advance(1_000);
  expect(await postToken(stack, refreshForm(refresh_token))).toMatchObject({ error: "invalid_grant" });
});

test("rotation does not prolong the sign-in", async () => {
  const client = { ...rotating(0), refreshTokenValidity: 2, tokenValidityUnits: { refreshToken: "hours" } };
  await using stack = await start({ clients: [client] });
  await stack.addUser(email);
  const first = await signInWithPkce(stack, email);
  stack.clock.advance(3_600_000);
  const second = await postToken(stack, refreshForm(first.refresh_token));
  stack.clock.advance(3_600_000);
  expect(await postToken(stack, refreshForm(second.refresh_token))).toMatchObject({ error: "invalid_grant" });
});

test("a refresh that fails in a trigger does not use up the refresh token", async () => {
  let fails = false;
  await using stack = await start({
    clients: [rotating(0)],
    trigger: () => {
      if (fails) throw new Error("Not now");
    },
  });
  await stack.addUser(email);
  const { refresh_token } = await signInWithPkce(stack, email);
  fails = true;
  expect(await postToken(stack, refreshForm(refresh_token))).toEqual({
    status: 400,
    error: "invalid_request",
    error_description: "PreTokenGeneration failed with error Not now.",
  });
  fails = false;
  expect(await postToken(stack, refreshForm(refresh_token))).toMatchObject({ status: 200 });
});

const api = "https://gateway.example.com/mcp";

test("the id of a resource server becomes the token's audience if it is requested, also after a refresh", async () => {
  const gateway = { identifier: api, name: "Gateway", userPoolId: poolId };
  await using stack = await start({ resourceServers: [declaredServer, gateway] });
  await stack.addUser(email);
  const tokens = await signInWithPkce(stack, email, { resource: api });
  expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: api, client_id: "public" });
  expect(decodeJwt(tokens.id_token)).toMatchObject({ aud: "public" });
  const refreshed = await postToken(stack, refreshForm(tokens.refresh_token));
  expect(decodeJwt(refreshed.access_token).aud).toBe(api);
});

test("a requested resource that is not a resource server makes the exchange of the code fail", async () => {
  await using stack = await start();
  await stack.addUser(email);
  expect(await signInWithPkce(stack, email, { resource: api })).toEqual({ status: 400, error: "invalid_grant" });
});

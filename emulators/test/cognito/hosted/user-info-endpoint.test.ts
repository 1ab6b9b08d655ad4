import { expect, test } from "@jest/globals";
import { poolId, publicClient } from "../declarations.ts";
import { signInWithPkce, start, userInfo } from "../harness.ts";

const email = "ann@example.com";

test("userInfo describes the person under both spellings of its path", async () => {
  await using stack = await start();
  const { sub } = await stack.addUser(email);
  const { access_token } = await signInWithPkce(stack, email);
  const expected = { status: 200, body: { sub, email, email_verified: "true", username: sub } };
  expect(await userInfo(stack, access_token)).toMatchObject(expected);
  expect(await userInfo(stack, access_token, "/oauth2/userinfo")).toMatchObject(expected);
});

test("userInfo shows only the attributes of the token's scopes", async () => {
  await using stack = await start();
  const { username } = await stack.addUser(email);
  const UserAttributes = [{ Name: "name", Value: "Ann" }];
  await stack.call("AdminUpdateUserAttributes", { UserPoolId: poolId, Username: username, UserAttributes });
  const narrow = await signInWithPkce(stack, email, { scope: "openid email" });
  expect((await userInfo(stack, narrow.access_token)).body).not.toHaveProperty("name");
  const wide = await signInWithPkce(stack, email, { scope: "openid profile" });
  expect((await userInfo(stack, wide.access_token)).body).toMatchObject({ name: "Ann", email });
});

test("userInfo refuses invalid tokens", async () => {
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
  await stack.call("AdminDeleteUser", { UserPoolId: poolId, Username: username });
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

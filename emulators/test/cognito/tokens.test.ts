import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { CognitoJwtVerifier } from "aws-jwt-verify";
import { decodeJwt } from "jose";
import { declaredPool, poolId, publicClient } from "./declarations.ts";
import { type Stack, signInWithPkce, start, type Trigger } from "./harness.ts";

const email = "ann@example.com";
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const seconds = expect.any(Number);

async function verifierOf({ baseUrl, provider }: Stack, tokenUse: "access" | "id") {
  const verifier = CognitoJwtVerifier.create({ userPoolId: poolId, tokenUse, clientId: "public" });
  const response = await fetch(`${baseUrl}/${poolId}/.well-known/jwks.json`);
  verifier.cacheJwks((await response.json()) as Parameters<typeof verifier.cacheJwks>[0]);
  expect(provider.issuer).toContain(poolId);
  return verifier;
}

test("an access token has Cognito's claims and no audience", async () => {
  await using stack = await start();
  const { sub } = await stack.addUser(email);
  const { access_token } = await signInWithPkce(stack, email);
  expect(decodeJwt(access_token)).toEqual({
    sub,
    iss: `https://cognito-idp.eu-central-1.amazonaws.com/${poolId}`,
    version: 2,
    client_id: "public",
    origin_jti: uuid,
    event_id: uuid,
    token_use: "access",
    scope: "openid email platform/proxy:invoke",
    auth_time: seconds,
    exp: seconds,
    iat: seconds,
    jti: uuid,
    username: sub,
  });
});

test("an ID token has Cognito's claims, the nonce and the hash of its access token", async () => {
  await using stack = await start();
  const { sub } = await stack.addUser(email);
  const { access_token, id_token } = await signInWithPkce(stack, email, { nonce: "n-1" });
  const half = createHash("sha256").update(access_token).digest().subarray(0, 16).toString("base64url");
  expect(decodeJwt(id_token)).toEqual({
    at_hash: half,
    sub,
    email_verified: true,
    iss: `https://cognito-idp.eu-central-1.amazonaws.com/${poolId}`,
    "cognito:username": sub,
    nonce: "n-1",
    origin_jti: decodeJwt(access_token).origin_jti,
    aud: "public",
    event_id: decodeJwt(access_token).event_id,
    token_use: "id",
    auth_time: seconds,
    exp: seconds,
    iat: seconds,
    jti: uuid,
    email,
  });
});

test("AWS's verifier accepts access tokens and ID tokens", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const { access_token, id_token } = await signInWithPkce(stack, email);
  const access = await verifierOf(stack, "access");
  expect(await access.verify(access_token, { scope: "platform/proxy:invoke" })).toMatchObject({ client_id: "public" });
  expect(await (await verifierOf(stack, "id")).verify(id_token)).toMatchObject({ aud: "public", email });
});

test("times in tokens come from the clock, and lifetimes from the client", async () => {
  const units = { accessToken: "minutes", idToken: "hours" };
  const client = { ...publicClient, accessTokenValidity: 15, idTokenValidity: 2, tokenValidityUnits: units };
  await using stack = await start({ clients: [client] });
  stack.clock.advance(86_400_000);
  await stack.addUser(email);
  const tokens = await signInWithPkce(stack, email);
  const [access, id] = [decodeJwt(tokens.access_token), decodeJwt(tokens.id_token)];
  expect(Math.abs(Number(access.iat) - stack.clock.now() / 1000)).toBeLessThan(5);
  expect(Number(access.exp) - Number(access.iat)).toBe(900);
  expect(Number(id.exp) - Number(id.iat)).toBe(7200);
});

test.each([
  ["openid", ["email", "email_verified", "name"]],
  ["openid email", ["email", "email_verified"]],
  ["openid profile", ["email", "email_verified", "name"]],
])("an ID token of a person with %s shows %j", async (scope, shown) => {
  await using stack = await start();
  const { username } = await stack.addUser(email);
  const UserAttributes = [{ Name: "name", Value: "Ann" }];
  await stack.call("AdminUpdateUserAttributes", { UserPoolId: poolId, Username: username, UserAttributes });
  const { id_token } = await signInWithPkce(stack, email, { scope });
  const claims = Object.keys(decodeJwt(id_token)).filter((name) => ["email", "email_verified", "name"].includes(name));
  expect(claims.sort()).toEqual(shown);
});

function overriding(details: object): Trigger {
  return ({ triggerSource, response }) => {
    if (triggerSource.startsWith("TokenGeneration")) response.claimsAndScopeOverrideDetails = details;
  };
}

test("a token trigger adds and suppresses claims and scopes", async () => {
  const claims = { tenant_id: "t1", "custom:tenant_role": "owner", limits: { a: [1, true] } };
  await using stack = await start({
    trigger: overriding({
      idTokenGeneration: { claimsToAddOrOverride: claims, claimsToSuppress: ["email"] },
      accessTokenGeneration: {
        claimsToAddOrOverride: claims,
        scopesToAdd: ["proxy:invoke"],
        scopesToSuppress: ["email"],
      },
    }),
  });
  await stack.addUser(email);
  const { access_token, id_token } = await signInWithPkce(stack, email);
  expect(decodeJwt(access_token)).toMatchObject({ ...claims, scope: "openid platform/proxy:invoke proxy:invoke" });
  expect(decodeJwt(id_token)).toMatchObject(claims);
  expect(decodeJwt(id_token)).not.toHaveProperty("email");
});

test("claims that Cognito reserves cannot be changed by a token trigger", async () => {
  const claims = { sub: "x", iss: "x", exp: 1, client_id: "x", username: "x", "cognito:username": "x", scope: "all" };
  const suppress = ["sub", "token_use", "client_id", "origin_jti"];
  await using stack = await start({
    trigger: overriding({
      idTokenGeneration: { claimsToAddOrOverride: claims, claimsToSuppress: suppress },
      accessTokenGeneration: { claimsToAddOrOverride: claims, claimsToSuppress: suppress },
    }),
  });
  const { sub } = await stack.addUser(email);
  const { access_token, id_token } = await signInWithPkce(stack, email);
  const expected = { sub, iss: stack.provider.issuer, origin_jti: uuid };
  const scope = "openid email platform/proxy:invoke";
  expect(decodeJwt(access_token)).toMatchObject({
    ...expected,
    client_id: "public",
    username: sub,
    scope,
    token_use: "access",
  });
  expect(decodeJwt(id_token)).toMatchObject({ ...expected, "cognito:username": sub, token_use: "id" });
  expect(decodeJwt(id_token)).not.toHaveProperty("client_id");
});

test("the token trigger runs before the code is issued, and its changes are in the code's tokens", async () => {
  let count = 0;
  await using stack = await start({
    trigger: ({ triggerSource, response }) => {
      if (!triggerSource.startsWith("TokenGeneration")) return;
      count += 1;
      response.claimsAndScopeOverrideDetails = {
        accessTokenGeneration: { claimsToAddOrOverride: { asked: count } },
      };
    },
  });
  await stack.addUser(email);
  const { access_token } = await signInWithPkce(stack, email);
  expect(decodeJwt(access_token).asked).toBe(1);
  expect(count).toBe(1);
});

test("a pool without triggers issues unchanged tokens", async () => {
  await using stack = await start({ pool: { ...declaredPool, lambdaConfig: undefined } });
  await stack.addUser(email);
  expect(await signInWithPkce(stack, email)).toMatchObject({ status: 200 });
  expect(stack.events).toEqual([]);
});

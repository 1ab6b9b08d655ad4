import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { cognitoTokens } from "../../../adapters/cognito/tokens.ts";
import type { TokenVerifier } from "../../../domain/access/credential.ts";

const userPoolId = "eu-central-1_Abc123";
const issuer = `https://cognito-idp.eu-central-1.amazonaws.com/${userPoolId}`;

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let first: Pair;
let second: Pair;
beforeAll(async () => {
  [first, second] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
});

// Long past for the machine, so that a look at its clock shows.
const now = Date.parse("2021-01-01T00:00:00Z");
let fetches: string[];
let tokens: TokenVerifier;

beforeEach(() => {
  jest.useFakeTimers({ now, doNotFake: ["setImmediate", "nextTick", "queueMicrotask"] });
  fetches = [];
  tokens = cognitoTokens({ userPoolId, clientIds: ["console", "helper"], clock: Date.now, fetcher: { fetch } });
});
afterEach(() => {
  jest.useRealTimers();
});

async function fetch(uri: string): Promise<ArrayBuffer> {
  fetches.push(uri);
  const keys = [{ ...(await exportJWK(first.publicKey)), kid: "first", alg: "RS256", use: "sig" }];
  return new TextEncoder().encode(JSON.stringify({ keys })).buffer as ArrayBuffer;
}

function sign(changes: Record<string, unknown> = {}, { pair = first, kid = "first" } = {}): Promise<string> {
  const claims = {
    iss: issuer,
    sub: "ann",
    client_id: "console",
    token_use: "access",
    scope: "platform/control:manage",
    tenant_id: "t1",
    tenant_role: "owner",
    exp: now / 1000 + 60,
    ...changes,
  };
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(pair.privateKey);
}

const refused = (code: string) => expect.objectContaining({ code });

describe("a token", () => {
  test("a token gives its claims", async () => {
    expect(await tokens.verify(await sign())).toEqual({
      sub: "ann",
      client_id: "console",
      scope: "platform/control:manage",
      exp: now / 1000 + 60,
      tenant_id: "t1",
      tenant_role: "owner",
    });
    expect(fetches).toEqual([`${issuer}/.well-known/jwks.json`]);
  });

  test("an expired token is refused, with the advice to sign in again", async () => {
    const token = await sign();
    jest.advanceTimersByTime(59_999);
    expect(await tokens.verify(token)).toMatchObject({ sub: "ann" });
    jest.advanceTimersByTime(2);
    const message = "The token has expired, sign in again";
    await expect(tokens.verify(token)).rejects.toEqual(
      expect.objectContaining({ code: "credential_expired", message }),
    );
  });

  test("a token is valid from its `nbf` on", async () => {
    const token = await sign({ nbf: now / 1000 + 30 });
    await expect(tokens.verify(token)).rejects.toEqual(refused("credential_invalid"));
    jest.advanceTimersByTime(30_000);
    expect(await tokens.verify(token)).toMatchObject({ sub: "ann" });
  });

  test.each([
    ["of another app client", { client_id: "connector" }],
    ["that is an ID token", { token_use: "id", aud: "console" }],
    ["of another user pool", { iss: `${issuer}x` }],
    ["of another issuer", { iss: "https://evil.test" }],
    ["with a role that does not exist", { tenant_role: "emperor" }],
  ])("%s is an invalid token", async (_what, changes) => {
    await expect(tokens.verify(await sign(changes))).rejects.toEqual(refused("credential_invalid"));
  });

  test("a token without an expiry counts as expired", async () => {
    await expect(tokens.verify(await sign({ exp: undefined }))).rejects.toEqual(refused("credential_expired"));
  });

  test("a token of another issuer, or without a signature, is invalid", async () => {
    await expect(tokens.verify(await sign({}, { pair: second }))).rejects.toEqual(refused("credential_invalid"));
    const [header, payload] = (await sign()).split(".");
    await expect(tokens.verify(`${header}.${payload}.`)).rejects.toEqual(refused("credential_invalid"));
    const none = Buffer.from('{"alg":"none","kid":"first"}').toString("base64url");
    await expect(tokens.verify(`${none}.${payload}.x`)).rejects.toEqual(refused("credential_invalid"));
    await expect(tokens.verify("eyJ.x.x")).rejects.toEqual(refused("credential_invalid"));
  });
});

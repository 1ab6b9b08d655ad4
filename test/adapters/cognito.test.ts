import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { cognitoTokens } from "../../adapters/cognito.ts";
import { KeySetUnavailable, type TokenVerifier } from "../../domain/access/credential.ts";

const userPoolId = "eu-central-1_Abc123";
const issuer = `https://cognito-idp.eu-central-1.amazonaws.com/${userPoolId}`;
const hour = 3_600_000;

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let first: Pair;
let second: Pair;
beforeAll(async () => {
  [first, second] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
});

let now: number;
let published: { pair: Pair; kid: string }[];
let outage: Error | undefined;
let fetches: string[];
let tokens: TokenVerifier;

beforeEach(() => {
  // The penalty for unknown key ids runs on the machine's timers.
  jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick", "queueMicrotask", "Date"] });
  // Long past for the machine, so that a look at its clock shows.
  now = Date.parse("2021-01-01T00:00:00Z");
  published = [{ pair: first, kid: "first" }];
  outage = undefined;
  fetches = [];
  tokens = cognitoTokens({ userPoolId, clientIds: ["console", "helper"], clock: () => now, fetcher: { fetch } });
});
afterEach(() => {
  jest.useRealTimers();
});

async function fetch(uri: string): Promise<ArrayBuffer> {
  fetches.push(uri);
  if (outage) throw outage;
  const keys = await Promise.all(
    published.map(async ({ pair, kid }) => ({ ...(await exportJWK(pair.publicKey)), kid, alg: "RS256", use: "sig" })),
  );
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
  test("gives its claims", async () => {
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

  test("expires by the given clock, not by the machine's", async () => {
    const token = await sign();
    now += 59_999;
    expect(await tokens.verify(token)).toMatchObject({ sub: "ann" });
    now += 1;
    await expect(tokens.verify(token)).rejects.toEqual(refused("credential_expired"));
  });

  test.each([
    ["of another app client", { client_id: "connector" }],
    ["that is an ID token", { token_use: "id", aud: "console" }],
    ["of another user pool", { iss: `${issuer}x` }],
    ["of another issuer", { iss: "https://evil.test" }],
    ["that is not valid yet", { nbf: 4_000_000_000 }],
    ["with a role that does not exist", { tenant_role: "emperor" }],
  ])("%s is invalid", async (_what, changes) => {
    await expect(tokens.verify(await sign(changes))).rejects.toEqual(refused("credential_invalid"));
  });

  test("without an end has expired", async () => {
    await expect(tokens.verify(await sign({ exp: undefined }))).rejects.toEqual(refused("credential_expired"));
  });

  test("of another signer, or unsigned, is invalid", async () => {
    await expect(tokens.verify(await sign({}, { pair: second }))).rejects.toEqual(refused("credential_invalid"));
    const [header, payload] = (await sign()).split(".");
    await expect(tokens.verify(`${header}.${payload}.`)).rejects.toEqual(refused("credential_invalid"));
    const none = Buffer.from('{"alg":"none","kid":"first"}').toString("base64url");
    await expect(tokens.verify(`${none}.${payload}.x`)).rejects.toEqual(refused("credential_invalid"));
    await expect(tokens.verify("eyJ.x.x")).rejects.toEqual(refused("credential_invalid"));
  });
});

describe("the key set", () => {
  test("is fetched once for all tokens at once, and again after an hour", async () => {
    const token = await sign({ exp: now / 1000 + 10_000 });
    await Promise.all([tokens.verify(token), tokens.verify(token)]);
    now += hour - 1;
    await tokens.verify(token);
    expect(fetches).toHaveLength(1);
    now += 1;
    await tokens.verify(token);
    expect(fetches).toHaveLength(2);
  });

  test("that has lost a key refuses its tokens within the hour", async () => {
    const token = await sign({ exp: now / 1000 + 10_000 });
    await tokens.verify(token);
    published = [{ pair: second, kid: "second" }];
    now += hour;
    await expect(tokens.verify(token)).rejects.toEqual(refused("credential_invalid"));
  });

  test("with a new key is fetched as soon as a token needs it", async () => {
    await tokens.verify(await sign());
    published.push({ pair: second, kid: "second" });
    expect(await tokens.verify(await sign({}, { pair: second, kid: "second" }))).toMatchObject({ sub: "ann" });
  });

  test("is not fetched for every unknown key id", async () => {
    await tokens.verify(await sign());
    for (const kid of ["a", "b", "c"]) {
      await expect(tokens.verify(await sign({}, { kid }))).rejects.toEqual(refused("credential_invalid"));
    }
    expect(fetches).toHaveLength(2);
    expect(await tokens.verify(await sign())).toMatchObject({ sub: "ann" });
  });

  test("that cannot be fetched when it is needed is told apart from a bad token", async () => {
    outage = new Error("connect ECONNREFUSED");
    await expect(tokens.verify(await sign())).rejects.toBeInstanceOf(KeySetUnavailable);
  });

  test("that is an hour old and cannot be fetched counts no more", async () => {
    const token = await sign({ exp: now / 1000 + 10_000 });
    await tokens.verify(token);
    outage = new Error("connect ECONNREFUSED");
    now += hour - 1;
    await tokens.verify(token);
    now += 1;
    await expect(tokens.verify(token)).rejects.toBeInstanceOf(KeySetUnavailable);
  });

  test("that fails is tried again after a second, not by everyone at once", async () => {
    outage = new Error("connect ECONNREFUSED");
    const token = await sign();
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(tokens.verify(token)).rejects.toBeInstanceOf(KeySetUnavailable);
    }
    expect(fetches).toHaveLength(1);
    outage = undefined;
    now += 1_000;
    expect(await tokens.verify(token)).toMatchObject({ sub: "ann" });
  });

  test("of another address cannot spoil that of the pool", async () => {
    await tokens.verify(await sign());
    outage = new Error("connect ECONNREFUSED");
    const foreign = await sign({ iss: `https://issuer-cognito-idp.eu-central-1.amazonaws.com/${userPoolId}` });
    await expect(tokens.verify(foreign)).rejects.toBeInstanceOf(KeySetUnavailable);
    expect(await tokens.verify(await sign())).toMatchObject({ sub: "ann" });
  });
});

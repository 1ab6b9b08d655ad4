import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { decomposeUnverifiedJwt } from "aws-jwt-verify/jwt";
import { exportJWK, generateKeyPair } from "jose";
import { HourlyKeySet } from "../../../adapters/cognito/hourly-key-set.ts";
import { KeySetUnavailable } from "../../../domain/access/credential.ts";

const uri = "https://idp.test/pool/.well-known/jwks.json";
const minute = 60_000;
const outage = new Error("connect ECONNREFUSED");

let jwk: object;
beforeAll(async () => {
  jwk = await exportJWK((await generateKeyPair("RS256")).publicKey);
});

let now: number;
let published: string[];
let fetches: string[];
/** The outcomes of the next fetches: a promise is awaited before the answer, an error is thrown. A fetch beyond them is answered at once. */
let answers: (Promise<void> | Error)[];
let pauses: number[];
let keySet: HourlyKeySet;

beforeEach(() => {
  // The library's penalty for unknown key ids runs on the machine's timers.
  jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick", "queueMicrotask", "Date"] });
  now = Date.parse("2021-01-01T00:00:00Z");
  published = ["first"];
  fetches = [];
  answers = [];
  pauses = [];
  const pause = async (milliseconds: number) => void pauses.push(milliseconds);
  keySet = new HourlyKeySet({ clock: () => now, fetcher: { fetch }, pause });
});
afterEach(() => {
  jest.useRealTimers();
});

async function fetch(address: string): Promise<ArrayBuffer> {
  fetches.push(address);
  const answer = answers.shift();
  if (answer instanceof Error) throw answer;
  await answer;
  const keys = published.map((kid) => ({ ...jwk, kid, alg: "RS256", use: "sig" }));
  return new TextEncoder().encode(JSON.stringify({ keys })).buffer as ArrayBuffer;
}

function keyOf(kid = "first", address = uri) {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return keySet.getJwk(address, decomposeUnverifiedJwt(`${part({ alg: "RS256", kid })}.${part({ sub: "ann" })}.c2ln`));
}

const found = (kid = "first") => expect.objectContaining({ kid });

/** Until everything that waits for no one is done. */
const idle = () => new Promise((resolve) => setImmediate(resolve));

describe("a key set", () => {
  test("a key set is fetched once for all calls that need it at the same time", async () => {
    expect(await Promise.all([keyOf(), keyOf(), keyOf()])).toEqual([found(), found(), found()]);
    expect(fetches).toEqual([uri]);
  });

  test("a key set is fetched early from minute 50, while the old one remains valid", async () => {
    await keyOf();
    now += 50 * minute - 1;
    await keyOf();
    expect(fetches).toHaveLength(1);
    now += 1;
    answers = [new Promise(() => {})];
    expect(await Promise.all([keyOf(), keyOf()])).toEqual([found(), found()]);
    expect(fetches).toHaveLength(2);
  });

  test("a key set that was fetched early is valid for an hour from then", async () => {
    await keyOf();
    now += 50 * minute;
    await keyOf();
    await idle();
    now += 50 * minute - 1;
    await keyOf();
    expect(fetches).toHaveLength(2);
  });

  test("a key set that is an hour old is fetched before it is used again", async () => {
    await keyOf();
    published = ["second"];
    now += 60 * minute;
    await expect(keyOf()).rejects.toThrow('JWK for kid "first" not found');
    expect(await keyOf("second")).toEqual(found("second"));
  });

  test("a key set with a new key is fetched as soon as a token needs it", async () => {
    await keyOf();
    published.push("second");
    expect(await keyOf("second")).toEqual(found("second"));
  });

  test("a key set is not fetched for every unknown key id", async () => {
    await keyOf();
    for (const kid of ["a", "b", "c"]) await expect(keyOf(kid)).rejects.toThrow();
    expect(fetches).toHaveLength(2);
    expect(await keyOf()).toEqual(found());
  });
});

describe("a fetch that fails", () => {
  test("a fetch of a key set that fails is repeated within the call", async () => {
    answers = [outage];
    expect(await Promise.all([keyOf(), keyOf()])).toEqual([found(), found()]);
    expect([fetches.length, pauses]).toEqual([2, [250]]);
  });

  test("a key set that cannot be fetched is reported differently from a bad token, and the next call tries again", async () => {
    answers = [outage, outage];
    await expect(keyOf()).rejects.toBeInstanceOf(KeySetUnavailable);
    expect(await keyOf()).toEqual(found());
    expect(fetches).toHaveLength(3);
  });

  test("after a failed fetch the old keys remain valid until they are an hour old", async () => {
    await keyOf();
    answers = Array(8).fill(outage);
    now += 60 * minute - 1;
    expect(await keyOf()).toEqual(found());
    await idle();
    now += 1;
    await expect(keyOf()).rejects.toBeInstanceOf(KeySetUnavailable);
  });

  test("an early fetch of the key set that fails is repeated after 15 seconds, not with every call", async () => {
    await keyOf();
    answers = Array(4).fill(outage);
    now += 50 * minute;
    for (let call = 0; call < 3; call++) {
      await keyOf();
      await idle();
    }
    expect(fetches).toHaveLength(3);
    now += 15_000;
    await keyOf();
    await idle();
    expect(fetches).toHaveLength(5);
  });

  test("a failed fetch for another address has no effect on the key set", async () => {
    await keyOf();
    answers = [outage, outage];
    await expect(keyOf("first", "https://other.test/jwks.json")).rejects.toBeInstanceOf(KeySetUnavailable);
    expect(await keyOf()).toEqual(found());
  });
});

describe("a fetch ahead that stood still with its instance", () => {
  let goOn: (failure?: Error) => void;
  beforeEach(async () => {
    await keyOf();
    now += 50 * minute;
    answers = [new Promise((resolve, reject) => (goOn = (failure) => (failure ? reject(failure) : resolve())))];
    await keyOf();
    now += 20 * minute;
  });

  test("an early fetch of the key set that was frozen with its instance is awaited by the next call", async () => {
    const waiting = keyOf();
    await idle();
    goOn();
    expect(await waiting).toEqual(found());
    expect(fetches).toHaveLength(2);
  });

  test("an early fetch of the key set that was frozen with its instance and then fails costs the next call only a fetch of its own", async () => {
    const waiting = [keyOf(), keyOf()];
    await idle();
    answers = [outage];
    goOn(outage);
    expect(await Promise.all(waiting)).toEqual([found(), found()]);
    expect(fetches).toHaveLength(4);
  });
});

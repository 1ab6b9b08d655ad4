import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import type { ApiKey } from "../../../domain/access/api-key.ts";
import { ApiKeyMatcher } from "../../../domain/access/key-matcher.ts";
import { type MintedApiKey, mintApiKey, mintApiKeyId } from "../../../domain/access/key-text.ts";

/** Stands in for bcrypt: the hash of a key is the key itself, and every comparison is counted. */
function aMatcher() {
  const rows = new Map<string, ApiKey>();
  const state = { now: 0, reads: 0, comparisons: 0, running: 0, mostRunning: 0 };
  const matcher = new ApiKeyMatcher({
    keys: {
      async get(keyId) {
        state.reads += 1;
        return rows.get(keyId);
      },
    },
    clock: () => state.now,
    secret: randomBytes(32),
    async compare(key, hash) {
      state.comparisons += 1;
      state.running += 1;
      state.mostRunning = Math.max(state.mostRunning, state.running);
      await new Promise((resolve) => setImmediate(resolve));
      state.running -= 1;
      return key === hash;
    },
  });
  function keep(minted: MintedApiKey, changes: Partial<ApiKey> = {}): void {
    rows.set(minted.key_id, { key_id: minted.key_id, hash: minted.key, status: "active", ...changes } as ApiKey);
  }
  return { matcher, state, keep };
}

const aKey = (keyId = mintApiKeyId(randomBytes)) => mintApiKey("live", keyId, randomBytes);
const invalid = expect.objectContaining({ code: "credential_invalid" });

describe("a right key", () => {
  test("a correct key gives its record, and is compared once for all requests", async () => {
    const { matcher, state, keep } = aMatcher();
    const key = aKey();
    keep(key);
    const [first, second] = await Promise.all([matcher.match(key.key), matcher.match(key.key)]);
    expect(first).toMatchObject({ key_id: key.key_id });
    expect(second).toBe(first);
    await matcher.match(key.key);
    expect(state.comparisons).toBe(1);
    state.now = 3_600_000;
    await matcher.match(key.key);
    expect(state.comparisons).toBe(1);
  });

  test("the record of a correct key is never older than a minute", async () => {
    const { matcher, state, keep } = aMatcher();
    const key = aKey();
    keep(key);
    await matcher.match(key.key);
    keep(key, { status: "revoked" });
    state.now = 59_999;
    await matcher.match(key.key);
    state.now = 60_000;
    await expect(matcher.match(key.key)).rejects.toEqual(invalid);
  });

  test("a correct key is refused once its record has another hash", async () => {
    const { matcher, state, keep } = aMatcher();
    const old = aKey();
    keep(old);
    await matcher.match(old.key);
    const rotated = aKey(old.key_id);
    keep(rotated);
    state.now = 60_000;
    await expect(matcher.match(old.key)).rejects.toEqual(invalid);
    expect(await matcher.match(rotated.key)).toMatchObject({ key_id: old.key_id });
  });

  test("an expired key is reported as expired, and a wrong key with the same id is not", async () => {
    const { matcher, state, keep } = aMatcher();
    const key = aKey();
    keep(key, { expires_at: "1970-01-01T00:00:01.000Z" });
    await matcher.match(key.key);
    state.now = 1_000;
    await expect(matcher.match(key.key)).rejects.toMatchObject({ code: "credential_expired" });
    await expect(matcher.match(aKey(key.key_id).key)).rejects.toEqual(invalid);
  });
});

describe("a wrong key", () => {
  test("a wrong key with a bad shape or checksum is refused without a look-up", async () => {
    const { matcher, state, keep } = aMatcher();
    const { key, ...minted } = aKey();
    keep({ key, ...minted });
    for (const text of ["", "ar_live_", `${key}x`, key.toLowerCase()]) {
      await expect(matcher.match(text)).rejects.toEqual(invalid);
    }
    expect(state.reads).toBe(0);
  });

  test("a wrong key with an unknown id is refused without a comparison, and looked up again each time", async () => {
    const { matcher, state, keep } = aMatcher();
    const key = aKey();
    await expect(matcher.match(key.key)).rejects.toEqual(invalid);
    expect(state.comparisons).toBe(0);
    keep(key);
    expect(await matcher.match(key.key)).toMatchObject({ key_id: key.key_id });
  });

  test("a wrong key is compared only once within half a minute", async () => {
    const { matcher, state, keep } = aMatcher();
    const key = aKey();
    keep(key);
    const wrong = aKey(key.key_id).key;
    for (let attempt = 0; attempt < 3; attempt++) await expect(matcher.match(wrong)).rejects.toEqual(invalid);
    expect(state.comparisons).toBe(1);
    state.now = 30_000;
    await expect(matcher.match(wrong)).rejects.toEqual(invalid);
    expect(state.comparisons).toBe(2);
  });

  test("wrong keys are compared one after another, while known keys are accepted", async () => {
    const { matcher, state, keep } = aMatcher();
    const key = aKey();
    keep(key);
    await matcher.match(key.key);
    const wrong = Array.from({ length: 5 }, () => matcher.match(aKey(key.key_id).key).catch(() => "refused"));
    expect(await matcher.match(key.key)).toMatchObject({ key_id: key.key_id });
    expect(state.comparisons).toBeLessThan(6);
    expect(await Promise.all(wrong)).toEqual(Array(5).fill("refused"));
    expect(state.comparisons).toBe(6);
    expect(state.mostRunning).toBe(1);
  });

  test("a comparison of a wrong key that fails does not block the next one", async () => {
    const { keep } = aMatcher();
    const key = aKey();
    keep(key);
    let broken = true;
    const matcher = new ApiKeyMatcher({
      keys: { get: async () => ({ status: "active", hash: key.key }) as ApiKey },
      clock: () => 0,
      secret: randomBytes(32),
      async compare() {
        if (broken) throw new Error("out of memory");
        return true;
      },
    });
    await expect(matcher.match(key.key)).rejects.toThrow("out of memory");
    broken = false;
    expect(await matcher.match(key.key)).toBeDefined();
  });
});

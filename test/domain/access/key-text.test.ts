import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { mintApiKey, mintApiKeyId, parseApiKey } from "../../../domain/access/key-text.ts";

const seeds = fc.infiniteStream(fc.integer({ min: 0, max: 255 }));
const modes = fc.constantFrom("live" as const, "test" as const);
const minted = fc.tuple(modes, seeds).map(([mode, stream]) => {
  const random = (size: number) => Uint8Array.from(stream.take(size));
  // A stream may be constant, and a constant of 248 or more would never be taken.
  const safe = (size: number) => random(size).map((byte) => byte % 248);
  return mintApiKey(mode, mintApiKeyId(safe), safe);
});

describe("a minted key", () => {
  test("a generated key has the documented shape, fits into bcrypt and can be read back", () => {
    fc.assert(
      fc.property(minted, ({ key, key_id, last4 }) => {
        expect(key).toMatch(/^ar_(live|test)_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
        expect(Buffer.byteLength(key)).toBeLessThanOrEqual(maxApiKeyBytes);
        expect(parseApiKey(key)).toEqual({ mode: key.slice(3, 7), key_id });
        expect(key.endsWith(last4)).toBe(true);
      }),
    );
  });

  test("a generated key is invalid if one character is changed", () => {
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. ";
    fc.assert(
      fc.property(minted, fc.nat(58), fc.constantFrom(...digits), ({ key }, position, digit) => {
        fc.pre(key[position] !== digit);
        expect(parseApiKey(key.slice(0, position) + digit + key.slice(position + 1))).toBeUndefined();
      }),
    );
  });

  test("a generated key is invalid with anything before or after it", () => {
    const { key } = mintApiKey("live", mintApiKeyId(randomBytes), randomBytes);
    for (const text of [
      ` ${key}`,
      `${key}\n`,
      `${key}0`,
      key.slice(0, -1),
      key.slice(1),
      key.replace("live", "prod"),
    ]) {
      expect(parseApiKey(text)).toBeUndefined();
    }
  });

  test("generated keys use every digit equally often", () => {
    let next = 0;
    const everyByteInTurn = (size: number) => Uint8Array.from({ length: size }, () => next++ % 256);
    const counts = new Map<string, number>();
    // About 400 of each. Without fairness the first eight digits would have 100 more than the others.
    for (let id = 0; id < (100 * 248) / 12; id++) {
      for (const digit of mintApiKeyId(everyByteInTurn)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThan(50);
  });
});

test("the checksum of a key is the CRC-32 of the text before it, in six digits", () => {
  const { key } = mintApiKey("live", "0".repeat(12), (size) => new Uint8Array(size));
  expect(key).toBe(`ar_live_${"0".repeat(12)}_${"0".repeat(32)}058JLd`);
});

/** bcrypt reads no more of what it hashes. */
const maxApiKeyBytes = 72;

test("only a text in the shape of a key is read as a key", () => {
  fc.assert(fc.property(fc.string(), (text) => expect(parseApiKey(text)).toBeUndefined()));
  fc.assert(
    fc.property(fc.stringMatching(/^ar_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/), (text) => {
      expect(parseApiKey(text)).toBeUndefined();
    }),
  );
});

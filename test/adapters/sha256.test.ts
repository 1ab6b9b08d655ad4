import { createHash, createHmac } from "node:crypto";
import { expect, test } from "@jest/globals";
import { Sha256 } from "../../adapters/sha256.ts";

const data = Buffer.from("what is signed");

async function digestOf(secret: ConstructorParameters<typeof Sha256>[0], ...pieces: Uint8Array[]): Promise<string> {
  const sha256 = new Sha256(secret);
  for (const piece of pieces) sha256.update(piece);
  return Buffer.from(await sha256.digest()).toString("hex");
}

test("without a secret it is the data's hash, in one piece or several", async () => {
  const expected = createHash("sha256").update(data).digest("hex");
  expect(await digestOf(undefined, data)).toBe(expected);
  expect(await digestOf(undefined, data.subarray(0, 3), data.subarray(3))).toBe(expected);
});

test.each([
  ["text", "s\u00e9cret", "s\u00e9cret"],
  ["bytes", new Uint8Array([1, 2, 255]), Buffer.from([1, 2, 255])],
  ["a part of a buffer", new Uint8Array([9, 1, 2, 9]).subarray(1, 3), Buffer.from([1, 2])],
  ["a buffer", new Uint8Array([7]).buffer, Buffer.from([7])],
])("with a secret as %s it is the HMAC, the first time and each time after", async (_name, secret, plain) => {
  const expected = createHmac("sha256", plain).update(data).digest("hex");
  for (let times = 0; times < 3; times++) expect(await digestOf(secret, data)).toBe(expected);
});

test("what is kept of one secret is not given for another, nor for other data", async () => {
  const digests = [await digestOf("one", data), await digestOf("other", data), await digestOf("one", Buffer.from("x"))];
  expect(new Set(digests).size).toBe(3);
  for (let secret = 0; secret < 2_100; secret++) await digestOf(`secret ${secret}`, data);
  expect(await digestOf("one", data)).toBe(digests[0]);
});

test("reset, it begins anew", async () => {
  const sha256 = new Sha256();
  sha256.update(Buffer.from("gone"));
  sha256.reset();
  sha256.update(data);
  expect(Buffer.from(await sha256.digest()).toString("hex")).toBe(createHash("sha256").update(data).digest("hex"));
});

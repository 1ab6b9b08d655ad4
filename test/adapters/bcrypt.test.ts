import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import bcrypt from "bcryptjs";
import { compareApiKey, hashApiKey } from "../../adapters/bcrypt.ts";
import { mintApiKey, mintApiKeyId } from "../../domain/access/key-text.ts";

const { key } = mintApiKey("live", mintApiKeyId(randomBytes), randomBytes);

test("an API key's hash is bcrypt of cost 4 over the whole key", async () => {
  const hash = await hashApiKey(key);
  expect(hash).toMatch(/^\$2[aby]\$04\$.{53}$/);
  expect(await compareApiKey(key, hash)).toBe(true);
  // The last character counts too: nothing is cut off.
  expect(await compareApiKey(key.slice(0, -1), hash)).toBe(false);
});

test("an API key's hash of a higher cost still matches", async () => {
  const hash = await bcrypt.hash(key, 10);
  expect(await compareApiKey(key, hash)).toBe(true);
  expect(await compareApiKey(`${key.slice(0, -1)}!`, hash)).toBe(false);
});

import { expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { sealingKeys } from "../../../components/mcp-gateway/sealing-keys.ts";

const config = (changes: Record<string, string> = {}) =>
  stackConfig({
    "archway:domain": "dev.archway.example",
    "archway:cloudflareZoneId": "0".repeat(32),
    "archway:originSecret": "an-origin-secret-of-32-characters-0",
    "archway:sealingSecret": "a-sealing-secret-of-32-characters-0",
    ...changes,
  });

const keysOf = (changes?: Record<string, string>) =>
  new Promise<string[]>((resolve) => sealingKeys(config(changes)).apply((text) => resolve(JSON.parse(text))));

test("the sealing key follows from its own secret alone, so that no other secret's rotation signs an MCP client out", async () => {
  const others = {
    "archway:originSecret": "another-origin-secret-of-32-characters",
    "archway:relaySecret": "another-relay-secret-of-32-characters",
  };
  const keys = await keysOf();
  expect(await keysOf(others)).toEqual(keys);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
});

test("during a rotation the new key comes first, and the one before stays", async () => {
  const [old] = await keysOf();
  const rotated = await keysOf({
    "archway:sealingSecret": "the-next-sealing-secret-of-32-chars-0",
    "archway:previousSealingSecret": "a-sealing-secret-of-32-characters-0",
  });
  expect(rotated).toEqual([expect.not.stringMatching(String(old)), old]);
});

import { expect, test } from "@jest/globals";
import { shardCount, shardOf } from "../../../domain/metering/shard.ts";

test("a tenant's shard never changes, because keys of stored items contain it", () => {
  expect(["a", "foobar", "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d"].map(shardOf)).toEqual([
    // FNV-1a of "a" is 0xe40c292c, of "foobar" 0xbf9cf968 (draft-eastlake-fnv, appendix C).
    0xe40c292c % shardCount,
    0xbf9cf968 % shardCount,
    shardOf("8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d"),
  ]);
});

test("tenants are spread over all shards, and no shard has twice its share", () => {
  const counts = new Array<number>(shardCount).fill(0);
  const share = 200;
  for (let tenant = 0; tenant < shardCount * share; tenant++) {
    const shard = shardOf(`tenant-${tenant}`);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(share / 2);
  expect(Math.max(...counts)).toBeLessThan(share * 2);
});

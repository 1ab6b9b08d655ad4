// Shards: the accounting of all tenants is spread over 64 of them, and a tenant never changes its shard.

export const shardCount = 64;

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a (draft-eastlake-fnv). It must never change, since the keys of stored items contain the shard. */
export function shardOf(tenantId: string): number {
  let hash = offsetBasis;
  for (const byte of new TextEncoder().encode(tenantId)) hash = Math.imul(hash ^ byte, prime) >>> 0;
  return hash % shardCount;
}

// The shards by which the accounting is spread: a tenant is in one of them for ever.

export const shardCount = 64;

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a (draft-eastlake-fnv): the same for ever, since keys of stored items are made with it. */
export function shardOf(tenantId: string): number {
  let hash = offsetBasis;
  for (const byte of new TextEncoder().encode(tenantId)) hash = Math.imul(hash ^ byte, prime) >>> 0;
  return hash % shardCount;
}

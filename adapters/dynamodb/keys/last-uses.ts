// The store of last uses of API keys, in a row beside each key, because the proxy may write these rows and only read keys.
import type { LastUseStore } from "../../../domain/keys/last-use.ts";
import type { Rows } from "../rows.ts";
import { when } from "../write.ts";
import { lastUseRecord } from "./last-use.record.ts";

export function lastUseStore(rows: Rows): LastUseStore {
  return {
    async put(keyId, now) {
      const usedAt = new Date(now).toISOString();
      await rows.put(
        { ...lastUseRecord.key({ key_id: keyId }), key_id: keyId, used_at: usedAt },
        when`attribute_not_exists(used_at) OR used_at < ${usedAt}`,
      );
    },

    async of(keyIds) {
      const { item } = await rows.batch(keyIds.map((keyId) => lastUseRecord.key({ key_id: keyId })));
      const used = keyIds.map((keyId) => [keyId, item(lastUseRecord.key({ key_id: keyId }))?.used_at] as const);
      return new Map(used.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
    },
  };
}

// The store of idempotency records.
import type { IdempotencyRecord, IdempotencyStore } from "../../../domain/kernel/idempotency.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { change, present, when } from "../write.ts";

export function idempotencyStore(rows: Rows): IdempotencyStore {
  const store: IdempotencyStore = {
    async reserve(sub, key, record, now) {
      const Key = keys.idempotency(sub, key);
      const item = { ...Key, ...record, expires_at: expiresAt("idempotency", now) };
      const isFree = when`attribute_not_exists(pk) OR expires_at <= ${Math.floor(now / 1000)}`;
      if (await rows.put(item, isFree)) return record;
      // If there is no item, the record has expired and was deleted just now: its place is free.
      return recordOf<IdempotencyRecord>(await rows.get(Key)) ?? store.reserve(sub, key, record, now);
    },

    async answer(sub, key, answer) {
      const kept = change`SET answer = if_not_exists(answer, ${answer})`;
      const isKept = await rows.update(keys.idempotency(sub, key), kept, present);
      if (!isKept) throw new Error("the record of an idempotent request is gone before its answer was kept");
    },
  };
  return store;
}

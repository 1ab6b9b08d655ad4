// The store of idempotency records.
import type { IdempotencyStore } from "../../../domain/kernel/idempotency.ts";
import type { Rows } from "../rows.ts";
import { change, present, when } from "../write.ts";
import { idempotencyRecord } from "./idempotency.record.ts";

export function idempotencyStore(rows: Rows): IdempotencyStore {
  const store: IdempotencyStore = {
    async reserve(sub, key, record, now) {
      const Key = idempotencyRecord.key({ sub, key });
      const item = { ...Key, ...record, expires_at: idempotencyRecord.expiresAt(now) };
      const isFree = when`attribute_not_exists(pk) OR expires_at <= ${Math.floor(now / 1000)}`;
      if (await rows.put(item, isFree)) return record;
      // If there is no item, the record has expired and was deleted just now: its place is free.
      return idempotencyRecord.parse(await rows.get(Key)) ?? store.reserve(sub, key, record, now);
    },

    async answer(sub, key, answer) {
      const kept = change`SET answer = if_not_exists(answer, ${answer})`;
      const isKept = await rows.update(idempotencyRecord.key({ sub, key }), kept, present);
      if (!isKept) throw new Error("the record of an idempotent request is gone before its answer was kept");
    },
  };
  return store;
}

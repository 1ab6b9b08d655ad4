// The meter's progress in the table: a row for each tenant and month, and one for each month and shard whose hours are all closed.
import { nextMonth, startOfMonth } from "../../../domain/kernel/period.ts";
import type { MeteringProgressStore } from "../../../domain/ledger/metering-progress.ts";
import type { Rows } from "../rows.ts";
import { follows } from "../write.ts";
import { shardProgressRecord, tenantProgressRecord } from "./metering-progress.record.ts";

export function meteringProgressStore(rows: Rows): MeteringProgressStore {
  return {
    async of(tenantId, month) {
      return rows.read(tenantProgressRecord, { tenant_id: tenantId, month });
    },

    async advance(tenantId, month, to) {
      const item = { ...tenantProgressRecord.key({ tenant_id: tenantId, month }), ...to, expires_at: expiryOf(month) };
      await rows.put(item, follows(to.version));
    },

    isDone: async (month, shard) => (await rows.get(shardProgressRecord.key({ month, shard }))) !== undefined,

    async done(month, shard) {
      await rows.put({ ...shardProgressRecord.key({ month, shard }), expires_at: expiryOf(month) });
    },
  };
}

function expiryOf(month: string): number {
  return tenantProgressRecord.expiresAt(nextMonth(startOfMonth(month)));
}

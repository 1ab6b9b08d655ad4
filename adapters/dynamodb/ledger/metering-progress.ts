// The meter's progress in the table: a row for each tenant and month, and one for each month and shard whose hours are all closed.
import { nextMonth, startOfMonth } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { MeteringProgressStore, TenantProgress } from "../../../domain/ledger/metering-progress.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { follows } from "../write.ts";

export function meteringProgressStore(rows: Rows): MeteringProgressStore {
  return {
    async of(tenantId, month) {
      const item = await rows.get(keys.tenantProgress(tenantId, month));
      if (!item) return undefined;
      const { next, waiting, version } = item as TenantProgress;
      return { next, waiting, version };
    },

    async advance(tenantId, month, to) {
      const item = { ...keys.tenantProgress(tenantId, month), ...to, expires_at: expiryOf(month) };
      await rows.put(item, follows(to.version));
    },

    isDone: async (month, shard) => (await rows.get(keys.shardProgress(month, shard))) !== undefined,

    async done(month, shard) {
      await rows.put({ ...keys.shardProgress(month, shard), expires_at: expiryOf(month) });
    },
  };
}

function expiryOf(month: string): number {
  return expiresAt("meterProgress", nextMonth(startOfMonth(month)));
}

// Rollups in the table: rows by tenant and month, one for each hour, caller and model.
import { monthOf, nextMonth, startOfHour, startOfMonth } from "../../../domain/kernel/period.ts";
import type { Rollup, RollupStore } from "../../../domain/ledger/rollup.ts";
import type { Rows } from "../rows.ts";
import { type Item, when } from "../write.ts";
import { rollupRecord } from "./rollup.record.ts";

export function rollupStore(rows: Rows): RollupStore {
  return {
    async put(rollups, readAt) {
      for (const rollup of rollups) {
        const end = { expires_at: rollupRecord.expiresAt(startOfHour(rollup.hour)) };
        await rows.put(
          { ...rollupRecord.key(rollup), ...rollup, read_at: readAt, ...end },
          when`attribute_not_exists(read_at) OR read_at <= ${readAt}`,
        );
      }
    },

    async *list(tenantId, from, to) {
      for (const month of monthsBetween(from, to)) {
        // A sort key is `<hour>#<caller>#<model>`, and "~" sorts after "#".
        const range = { pk: rollupRecord.range({ tenant_id: tenantId, hour: month }).pk, from, upTo: `${to}~` };
        for await (const page of rows.pages(range, { ConsistentRead: false })) yield page.map(rowOf);
      }
    },
  };
}

function rowOf(item: Item): Rollup {
  const { read_at: _readAt, ...rollup } = rollupRecord.parse(item);
  return rollup;
}

/** The months from one hour or day to another. Their first seven characters are the month. */
function monthsBetween(from: string, to: string): string[] {
  const months: string[] = [];
  const last = to.slice(0, 7);
  for (let month = from.slice(0, 7); month <= last; month = monthOf(nextMonth(startOfMonth(month)))) months.push(month);
  return months;
}

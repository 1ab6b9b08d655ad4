// Rollups in the table: rows by tenant and month, one for each hour, caller and model.
import { monthOf, nextMonth, startOfHour, startOfMonth } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { Rollup, RollupStore } from "../../../domain/ledger/rollup.ts";
import { recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { when } from "../write.ts";

export function rollupStore(rows: Rows): RollupStore {
  return {
    async put(rollups, readAt) {
      for (const rollup of rollups) {
        const end = { expires_at: expiresAt("rollup", startOfHour(rollup.hour)) };
        await rows.put(
          { ...keys.rollup(rollup), ...rollup, read_at: readAt, ...end },
          when`attribute_not_exists(read_at) OR read_at <= ${readAt}`,
        );
      }
    },

    async *list(tenantId, from, to) {
      for (const month of monthsBetween(from, to)) {
        // A sort key is `<hour>#<caller>#<model>`, and "~" sorts after "#".
        const range = { pk: keys.rollups(tenantId, month).pk, from, upTo: `${to}~` };
        for await (const page of rows.pages(range, { ConsistentRead: false })) yield page.map(rowOf);
      }
    },
  };
}

function rowOf(item: Record<string, unknown>): Rollup {
  type Stored = Rollup & { read_at: number; expires_at: number };
  const { read_at: _readAt, expires_at: _expiresAt, ...rollup } = recordOf<Stored>(item);
  return rollup;
}

/** The months from one hour or day to another. Their first seven characters are the month. */
function monthsBetween(from: string, to: string): string[] {
  const months: string[] = [];
  const last = to.slice(0, 7);
  for (let month = from.slice(0, 7); month <= last; month = monthOf(nextMonth(startOfMonth(month)))) months.push(month);
  return months;
}

// Unbilled usage of a tenant in the table, read consistently: its subscription is ended only once there is none.
import type { ReportState } from "../../../domain/metering/hour-report.ts";
import type { UnbilledUsage } from "../../../domain/reporting/unbilled-usage.ts";
import type { Balance } from "../../../domain/reporting/usage-outbox.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import type { Item } from "../write.ts";

/** States of reports that are not final. */
export const openStates: readonly unknown[] = ["unsent", "sending", "taken"] satisfies ReportState[];

export function unbilledUsageStore(rows: Rows): UnbilledUsage {
  const itemsOf = (pk: string) => rows.all({ pk });
  return {
    async count(tenantId, months) {
      const pks = months.map((month) => keys.report(tenantId, `${month}-01T00`).pk);
      const [reports, adjustments, balances] = await Promise.all([
        Promise.all(pks.map(itemsOf)),
        itemsOf(keys.adjustment(tenantId, "").pk),
        itemsOf(keys.balance(tenantId).pk),
      ]);
      const open = [
        ...reports.flat().filter(isOpen),
        // An adjustment below zero that is not listed any more waits for usage that it lowers; there may be none.
        ...adjustments.filter(({ difference, gsi2_pk }) => Number(difference) > 0 || (difference !== 0 && gsi2_pk)),
        ...balances.filter(({ carried = 0 }) => Number(carried) > 0),
      ];
      return open.length;
    },

    async openBalance(tenantId) {
      const [adjustments, [balance]] = await Promise.all([
        itemsOf(keys.adjustment(tenantId, "").pk),
        itemsOf(keys.balance(tenantId).pk),
      ]);
      return {
        balance: balanceOf(balance),
        difference: adjustments.reduce((sum, { difference }) => sum + Number(difference), 0),
      };
    },
  };
}

function isOpen({ state, value, quantity }: Item): boolean {
  if (state === "unsent") return Number(value) !== 0;
  return state === "open" || (openStates.includes(state) && quantity !== undefined);
}

export function balanceOf({ carried, left }: Item = {}): Balance {
  return { carried: Number(carried ?? 0), fraction: Number(left ?? 0) };
}

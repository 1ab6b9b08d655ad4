// The take-back of idle slices: the owner's row has its place and what the last one found, the callers' spending items have the slices.
import { type IdleSliceStore, idleOf, type SliceHolder } from "../../../domain/budget/idle-slices.ts";
import { together } from "../../../domain/kernel/together.ts";
import { contended } from "../client.ts";
import type { Rows } from "../rows.ts";
import { ownedTenants } from "../workspace/owned-tenants.ts";
import { change, when } from "../write.ts";
import { activeCallerStore } from "./active-callers.ts";
import { allowanceRecord } from "./allowance.record.ts";
import { allowanceReturn, sliceReturn } from "./allowances.ts";

/** Callers of a workspace beyond these pages of a hundred give back with the meter alone. */
const mostPages = 10;

export function idleSliceStore(rows: Rows): IdleSliceStore {
  const { of: tenantsOf } = ownedTenants(rows);
  const { ofTenant } = activeCallerStore(rows);

  async function holdersIn(tenantId: string, month: string, ownerSub: string): Promise<SliceHolder[]> {
    const holders: SliceHolder[] = [];
    let pages = 0;
    for await (const page of ofTenant(tenantId, month)) {
      for (const one of page) if ("spending" in one && one.spending.allowanceOf === ownerSub) holders.push(one);
      pages += 1;
      if (pages === mostPages) break;
    }
    return holders;
  }

  return {
    async begin(ownerSub, { now, until }) {
      const row = await rows.updated(
        allowanceRecord.key({ owner_sub: ownerSub }),
        change`SET takeback_until = ${until}`,
        when`attribute_not_exists(takeback_until) OR takeback_until < ${now}`,
      );
      return row && Number(row.drawn ?? 0);
    },

    async holders(ownerSub, months) {
      const tenants = await tenantsOf(ownerSub);
      const all = tenants.flatMap((tenantId) => months.map((month) => holdersIn(tenantId, month, ownerSub)));
      return (await together(all)).flat();
    },

    /** One transaction, so that a function that dies loses no slice. */
    async takeBack(ownerSub, holders) {
      let left = [...holders];
      while (left.length > 0) {
        const sum = left.reduce((so, { spending }) => so + idleOf(spending), 0);
        const returns = left.map(({ key, spending }) => sliceReturn(key, spending, idleOf(spending)));
        const failed = await rows.transact([...returns, allowanceReturn(ownerSub, sum)], contended);
        if (failed === undefined) return sum;
        if (failed === left.length) return 0;
        left = left.toSpliced(failed, 1);
      }
      return 0;
    },

    async end(ownerSub, until, { at, inFlight, drawn }) {
      await rows.update(
        allowanceRecord.key({ owner_sub: ownerSub }),
        change`SET looked_at = ${at}, in_flight = ${inFlight}, looked_drawn = ${drawn} REMOVE takeback_until`,
        when`takeback_until = ${until}`,
      );
    },
  };
}

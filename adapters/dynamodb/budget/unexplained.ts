// What nobody explains, for the meter: counted on an hour's report and on the owner's row in one transaction, and marked on the workspace.
import type { ExplainedOwner, UnexplainedStore } from "../../../domain/budget/unexplained.ts";
import { startOfHour } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { attribute, change, check, present, setting, update, when } from "../write.ts";
import { allowanceOf } from "./allowances.ts";

export function unexplainedStore(rows: Rows): UnexplainedStore {
  return {
    async ownerOf(tenantId) {
      const item = await rows.get(keys.tenant(tenantId), "owner_sub, tier, unexplained_month");
      if (item?.owner_sub === undefined) return undefined;
      const tenant = item as Omit<ExplainedOwner, "allowance">;
      return { ...tenant, allowance: allowanceOf(await rows.get(keys.allowance(tenant.owner_sub))) };
    },

    async counted(tenantId, hour) {
      return Number((await rows.get(keys.report(tenantId, hour)))?.unexplained ?? 0);
    },

    async count(tenantId, hour, { ownerSub, from, to }) {
      const life = { expires_at: expiresAt("report", startOfHour(hour)) };
      const isAsRead = from === 0 ? when`attribute_not_exists(unexplained)` : when`unexplained = ${from}`;
      const unexplained = to === 0 ? undefined : to;
      const failed = await rows.transact([
        update(keys.report(tenantId, hour), setting({ tenant_id: tenantId, hour, unexplained, ...life }), isAsRead),
        update(keys.allowance(ownerSub), change`ADD ${attribute(`u#${hour.slice(0, 7)}`)} ${to - from}`),
        // An owner's row is not brought back once the last workspace is purged.
        check(keys.tenant(tenantId), present),
      ]);
      return failed === undefined;
    },

    async mark(tenantId, month) {
      await rows.update(keys.tenant(tenantId), setting({ unexplained_month: month }), present);
    },
  };
}

// What nobody explains, for the meter: counted on an hour's report and on the owner's row in one transaction, and marked on the workspace.
import type { ExplainedOwner, UnexplainedStore } from "../../../domain/budget/unexplained.ts";
import { startOfHour } from "../../../domain/kernel/period.ts";
import { reportRecord } from "../metering/report.record.ts";
import type { Rows } from "../rows.ts";
import { tenantRecord } from "../workspace/tenant.record.ts";
import { attribute, change, check, present, setting, update, when } from "../write.ts";
import { allowanceRecord } from "./allowance.record.ts";
import { allowanceOf } from "./allowances.ts";

export function unexplainedStore(rows: Rows): UnexplainedStore {
  return {
    async ownerOf(tenantId) {
      const item = await rows.get(tenantRecord.key({ tenant_id: tenantId }), "owner_sub, tier, unexplained_month");
      if (item?.owner_sub === undefined) return undefined;
      const tenant = item as Omit<ExplainedOwner, "allowance">;
      return {
        ...tenant,
        allowance: allowanceOf(await rows.get(allowanceRecord.key({ owner_sub: tenant.owner_sub }))),
      };
    },

    async counted(tenantId, hour) {
      return (await rows.read(reportRecord, { tenant_id: tenantId, hour }))?.unexplained ?? 0;
    },

    async count(tenantId, hour, { ownerSub, from, to }) {
      const life = { expires_at: reportRecord.expiresAt(startOfHour(hour)) };
      const isAsRead = from === 0 ? when`attribute_not_exists(unexplained)` : when`unexplained = ${from}`;
      const unexplained = to === 0 ? undefined : to;
      const failed = await rows.transact([
        update(
          reportRecord.key({ tenant_id: tenantId, hour }),
          setting({ tenant_id: tenantId, hour, unexplained, ...life }),
          isAsRead,
        ),
        update(
          allowanceRecord.key({ owner_sub: ownerSub }),
          change`ADD ${attribute(`u#${hour.slice(0, 7)}`)} ${to - from}`,
        ),
        // An owner's row is not brought back once the last workspace is purged.
        check(tenantRecord.key({ tenant_id: tenantId }), present),
      ]);
      return failed === undefined;
    },

    async mark(tenantId, month) {
      await rows.update(tenantRecord.key({ tenant_id: tenantId }), setting({ unexplained_month: month }), present);
    },
  };
}

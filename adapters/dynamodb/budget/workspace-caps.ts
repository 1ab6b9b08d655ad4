// A workspace's cap, for the meter, which reads and marks it and names no other attribute of the tenant's row.
import type { WorkspaceCap, WorkspaceCapStore } from "../../../domain/budget/workspace-cap.ts";
import type { Rows } from "../rows.ts";
import { tenantRecord } from "../workspace/tenant.record.ts";
import { setting, when } from "../write.ts";

export function workspaceCapStore(rows: Rows): WorkspaceCapStore {
  return {
    async of(tenantId) {
      const item = await rows.get(tenantRecord.key({ tenant_id: tenantId }), "pk, monthly_cap_usd, capped_month");
      if (!item) return undefined;
      const { monthly_cap_usd, capped_month } = item as WorkspaceCap;
      return { monthly_cap_usd, capped_month };
    },

    async mark(tenantId, { from, to }) {
      // The condition keeps the mark from bringing back the row of a purged tenant.
      const isAsRead = from
        ? when`attribute_exists(pk) AND capped_month.#month = ${from.month} AND capped_month.#spent = ${from.spent}`
        : when`attribute_exists(pk) AND attribute_not_exists(capped_month)`;
      await rows.update(tenantRecord.key({ tenant_id: tenantId }), setting({ capped_month: to }), isAsRead);
    },
  };
}

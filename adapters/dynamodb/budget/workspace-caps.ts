// A workspace's cap, for the meter, which reads and marks it and names no other attribute of the tenant's row.
import type { WorkspaceCap, WorkspaceCapStore } from "../../../domain/budget/workspace-cap.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";

const isStill = "capped_month.#month = :month AND capped_month.#spent = :spent";

export function workspaceCapStore(rows: Rows): WorkspaceCapStore {
  return {
    async of(tenantId) {
      const item = await rows.get(keys.tenant(tenantId), "pk, monthly_cap_usd, capped_month");
      if (!item) return undefined;
      const { monthly_cap_usd, capped_month } = item as WorkspaceCap;
      return { monthly_cap_usd, capped_month };
    },

    async mark(tenantId, { from, to }) {
      await rows.update(keys.tenant(tenantId), {
        UpdateExpression: to ? "SET capped_month = :to" : "REMOVE capped_month",
        // The condition keeps the mark from bringing back the row of a purged tenant.
        ConditionExpression: `attribute_exists(pk) AND ${from ? isStill : "attribute_not_exists(capped_month)"}`,
        ...(from && { ExpressionAttributeNames: { "#month": "month", "#spent": "spent" } }),
        ...((from || to) && {
          ExpressionAttributeValues: {
            ...(from && { ":month": from.month, ":spent": from.spent }),
            ...(to && { ":to": to }),
          },
        }),
      });
    },
  };
}

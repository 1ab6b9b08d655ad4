// Renewal of a tenant's billing in the table: sets the creation's steps that bill to pending again.
import type { RenewalStore } from "../../../domain/billing/renewal.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";

export function renewalStore(rows: Rows): RenewalStore {
  return {
    async renew({ tenant_id, stripe_subscription_id }, entry) {
      const unchecked = activeIndex.unchecked(entry.at, tenant_id);
      const failed = await rows.transact([
        {
          Update: {
            Key: keys.tenant(tenant_id),
            UpdateExpression: "REMOVE stripe_subscription_id, stripe_customer_id ADD setup_pending :steps",
            ConditionExpression: "stripe_subscription_id = :ended AND #status <> :deleted",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: {
              ":steps": new Set(["stripe_customer", "stripe_subscription"]),
              ":ended": stripe_subscription_id,
              ":deleted": "deleted",
            },
          },
        },
        {
          Update: {
            Key: keys.directory(tenant_id),
            UpdateExpression: "SET gsi2_pk = :pk, gsi2_sk = :sk",
            ConditionExpression: "attribute_exists(pk)",
            ExpressionAttributeValues: { ":pk": unchecked.gsi2_pk, ":sk": unchecked.gsi2_sk },
          },
        },
        auditPut(entry),
      ]);
      return failed === undefined;
    },
  };
}

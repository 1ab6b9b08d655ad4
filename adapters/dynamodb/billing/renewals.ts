// Renewal of a tenant's billing in the table: sets the creation's steps that bill to pending again.
import type { RenewalStore } from "../../../domain/billing/renewal.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { directoryRecord } from "../workspace/directory.record.ts";
import { tenantRecord } from "../workspace/tenant.record.ts";
import { change, present, setting, update, when } from "../write.ts";

export function renewalStore(rows: Rows): RenewalStore {
  return {
    async renew({ tenant_id, stripe_subscription_id }, entry) {
      const unchecked = directoryRecord.activeIndexKey({ since: entry.at, tenant_id });
      const steps = new Set(["stripe_customer", "stripe_subscription"]);
      const failed = await rows.transact([
        update(
          tenantRecord.key({ tenant_id }),
          change`REMOVE stripe_subscription_id, stripe_customer_id ADD setup_pending ${steps}`,
          when`stripe_subscription_id = ${stripe_subscription_id} AND #status <> ${"deleted"}`,
        ),
        update(directoryRecord.key({ tenant_id }), setting(unchecked), present),
        auditPut(entry),
      ]);
      return failed === undefined;
    },
  };
}

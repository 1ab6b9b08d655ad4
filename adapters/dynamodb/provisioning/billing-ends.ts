// The progress of a tenant's billing end, which is on the manifest's row of its subscription.
import type { BillingEndStore } from "../../../domain/provisioning/billing-end.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { attribute, change, update } from "../write.ts";
import { manifestRecord } from "./manifest.record.ts";

export function billingEndStore(rows: Rows): BillingEndStore {
  const keyOf = (tenantId: string) => manifestRecord.key({ tenant_id: tenantId, resource: "stripe_subscription" });
  const noted = (name: "cancelled_at" | "ended_at", at: string) =>
    change`SET ${attribute(name)} = if_not_exists(${attribute(name)}, ${at}), kind = ${"stripe_subscription"}, #state = if_not_exists(#state, ${"intended"})`;

  return {
    async of(tenantId) {
      const { attempts, cancelled_at, ended_at } = manifestRecord.parse(await rows.get(keyOf(tenantId))) ?? {};
      return {
        isTried: (attempts ?? 0) > 0,
        cancelledAt: cancelled_at,
        endedAt: ended_at,
      };
    },
    async cancelled(tenantId, at) {
      await rows.update(keyOf(tenantId), noted("cancelled_at", at));
    },
    async ended(tenantId, at, entry) {
      const ended = noted("ended_at", at);
      if (entry) await rows.transact([update(keyOf(tenantId), ended), auditPut(entry)]);
      else await rows.update(keyOf(tenantId), ended);
    },
  };
}

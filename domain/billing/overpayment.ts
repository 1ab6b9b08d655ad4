// What a deleted workspace's owner has paid too much: people give it back before the purge deletes the customer (docs/decisions/0062-settling-after-the-end.md).
import { type AuditEntry, auditEntry, platformTrail } from "../workspace/audit.ts";
import type { BillingTelemetry } from "./billing-telemetry.ts";
import type { MicroUsd } from "./payment-provider.ts";

type Overpaid = { tenantId: string; customerId: string; amount: MicroUsd };

/** Raises the alarm. @returns the entry of the platform's trail, or undefined if nothing is owed */
export function overpaid(
  { telemetry, newId, clock }: { telemetry: BillingTelemetry; newId: () => string; clock: () => number },
  actor: "payments" | "report",
  { tenantId, customerId, amount }: Overpaid,
): AuditEntry | undefined {
  if (amount <= 0) return undefined;
  telemetry.unbilled("overpaid", { tenant_id: tenantId, quantity: amount });
  const change = { tenant_id: platformTrail, actor, action: "billing.owed", target: tenantId } as const;
  const after = { customer_id: customerId, micro_usd: amount };
  return auditEntry({ ...change, after }, { id: newId(), now: clock() });
}

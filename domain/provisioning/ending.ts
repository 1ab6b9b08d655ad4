// The end of a deleted workspace's billing: what it used is reported and counted first, then its subscription is cancelled with an
// invoice, and that one is collected, with the owner's others, whose collection the cancelling has stopped.

import { type MicroUsd, PaymentError, type PaymentInvoice, type PaymentProvider } from "../billing/payment-provider.ts";
import type { Log } from "../kernel/log.ts";
import { hourMs } from "../kernel/period.ts";
import { type AuditEntry, auditEntry, platformTrail } from "../workspace/audit.ts";
import type { Tenant } from "../workspace/tenant.ts";
import { settlingSeconds } from "./purge.ts";

/** How far the end of a tenant's billing is, on the manifest's row of its subscription. */
export type EndingProgress = {
  /** A run of the creation may have made the subscription. */
  isTried: boolean;
  cancelledAt?: string | undefined;
  endedAt?: string | undefined;
};

export interface EndingStore {
  of(tenantId: string): Promise<EndingProgress>;
  cancelled(tenantId: string, at: string): Promise<void>;
  /** @param entry of the audit trail, if there is something that people have to do */
  ended(tenantId: string, at: string, entry: AuditEntry | undefined): Promise<void>;
}

export type EndingDependencies = {
  payments: () => Promise<PaymentProvider>;
  endings: EndingStore;
  /**
   * How much of the usage until `endedAt` (milliseconds) the provider does not show yet: hours that are not closed, reports that
   * are not sent, and those that it has not counted.
   */
  unbilledUsage: (tenantId: string, endedAt: number) => Promise<number>;
  /** Says that so many reports were not counted when the subscription was cancelled: the platform's loss. */
  lost: (tenantId: string, reports: number) => void;
  /** How much of what was invoiced no event could take back any more (taking-back.ts). */
  overpaid: (tenantId: string) => Promise<MicroUsd>;
  /** Says that the owner has paid so much too much. */
  owed: (tenantId: string, amount: MicroUsd) => void;
  log: Log;
  clock: () => number;
  newId: () => string;
};

/** Provisional usage waits for a day at most (spending/closing.ts), and is sent within hours. What is open then is given up. */
const patienceMs = 48 * hourMs;

/** May be repeated. @returns whether it is over; if not, something is still to be reported. */
export async function endBilling(deps: EndingDependencies, tenant: Tenant): Promise<boolean> {
  const { endings, clock } = deps;
  const { tenant_id, deleted_at = "", stripe_customer_id: customerId } = tenant;
  // Nobody is served any more, no call is in flight, and no run of the creation at work.
  const settledAt = Date.parse(deleted_at) + settlingSeconds * 1000;
  if (!(clock() >= settledAt)) return false;
  const progress = await endings.of(tenant_id);
  if (progress.endedAt !== undefined) return true;
  const subscriptionId = customerId && (await subscriptionOf(deps, tenant, customerId, progress));
  if (customerId && subscriptionId) {
    if (progress.cancelledAt === undefined) {
      if (!(await isReported(deps, tenant_id, settledAt))) return false;
      await (await deps.payments()).cancel(subscriptionId);
      await endings.cancelled(tenant_id, new Date(clock()).toISOString());
    }
    await collectAll(deps, { tenant_id, customerId, subscriptionId });
  }
  const entry = customerId ? await owedEntry(deps, tenant_id, customerId) : undefined;
  await endings.ended(tenant_id, new Date(clock()).toISOString(), entry);
  return true;
}

/** What is owed to the owner is paid by people, before the purge deletes the customer. */
async function owedEntry({ overpaid, owed, clock, newId }: EndingDependencies, tenantId: string, customer_id: string) {
  const micro_usd = await overpaid(tenantId);
  if (micro_usd === 0) return undefined;
  owed(tenantId, micro_usd);
  const change = { tenant_id: platformTrail, actor: "provision", action: "billing.owed", target: tenantId } as const;
  return auditEntry({ ...change, after: { customer_id, micro_usd } }, { id: newId(), now: clock() });
}

/** A creation that was cut off can have made one that the tenant does not name. */
async function subscriptionOf(
  { payments }: EndingDependencies,
  { tenant_id, stripe_subscription_id }: Tenant,
  customerId: string,
  { isTried }: EndingProgress,
): Promise<string | undefined> {
  if (stripe_subscription_id !== undefined || !isTried) return stripe_subscription_id;
  return (await (await payments()).findSubscription({ customerId, tenantId: tenant_id }))?.id;
}

async function isReported(deps: EndingDependencies, tenantId: string, settledAt: number): Promise<boolean> {
  const open = await deps.unbilledUsage(tenantId, settledAt);
  if (open === 0) return true;
  if (deps.clock() < settledAt + patienceMs) return false;
  deps.lost(tenantId, open);
  return true;
}

/** The workspace's drafts become final; an open invoice of whichever of the owner's is tried once more. */
async function collectAll(
  { payments, log }: EndingDependencies,
  { tenant_id, customerId, subscriptionId }: { tenant_id: string; customerId: string; subscriptionId: string },
): Promise<void> {
  const provider = await payments();
  for (const invoice of await provider.invoices(customerId)) {
    if (!isToCollect(invoice, subscriptionId)) continue;
    try {
      await provider.collect(invoice.id);
    } catch (error) {
      // What was refused once is refused again: it is for people, at the provider's dashboard.
      if (!(error instanceof PaymentError)) throw error;
      log.problem("An invoice of a deleted workspace's owner could not be collected", { tenant_id }, error);
    }
  }
}

function isToCollect({ status, subscriptionId }: PaymentInvoice, ended: string): boolean {
  return status === "open" || (status === "draft" && subscriptionId === ended);
}

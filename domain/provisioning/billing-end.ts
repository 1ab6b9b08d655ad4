// The end of a deleted workspace's billing: what it used is reported and counted first, then its subscription is cancelled with an
// invoice. That invoice is collected, and the owner's others too, whose collection the cancelling has stopped.

import { type CustomerRemovalDependencies, removeCustomer } from "../billing/customer-removal.ts";
import { type MicroUsd, PaymentError, type PaymentInvoice, type PaymentProvider } from "../billing/payment-provider.ts";
import type { Log } from "../kernel/log.ts";
import { hourMs } from "../kernel/period.ts";
import { type AuditEntry, auditEntry, platformTrail } from "../workspace/audit.ts";
import type { OwnedTenants } from "../workspace/owned-tenants.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import { type Removal, requireDeleted } from "./outside-resources.ts";
import { settlingSeconds } from "./purge.ts";
import type { SetupManifest } from "./setup-manifest.ts";

/** How far the end of a tenant's billing is, on the manifest's row of its subscription. */
export type BillingEnd = {
  /** True if a run of the creation may have made the subscription. */
  isTried: boolean;
  cancelledAt?: string | undefined;
  endedAt?: string | undefined;
};

export interface BillingEndStore {
  of(tenantId: string): Promise<BillingEnd>;
  cancelled(tenantId: string, at: string): Promise<void>;
  /** @param entry of the audit trail, if there is something that people have to do */
  ended(tenantId: string, at: string, entry: AuditEntry | undefined): Promise<void>;
}

export type BillingEndDependencies = {
  payments: () => Promise<PaymentProvider>;
  ends: BillingEndStore;
  /**
   * How much of the usage until `endedAt` (milliseconds) the provider does not show yet: hours that are not closed, reports that
   * are not sent, and those that it has not counted.
   */
  unbilledUsage: (tenantId: string, endedAt: number) => Promise<number>;
  /** Tells how many reports were not counted when the subscription was cancelled: the platform's loss. */
  lost: (tenantId: string, reports: number) => void;
  /** The invoiced amount that no event can take back any more (reversal.ts). */
  overpaid: (tenantId: string) => Promise<MicroUsd>;
  /** Tells how much the owner has paid too much. */
  owed: (tenantId: string, amount: MicroUsd) => void;
  log: Log;
  clock: () => number;
  newId: () => string;
};

/** Provisional usage waits for a day at most (metering/closing.ts), and is sent within hours. After this time open usage is given up. */
const patienceMs = 48 * hourMs;

/** May be repeated. @returns whether it is over; if not, something is still to be reported. */
export async function endBilling(deps: BillingEndDependencies, tenant: Tenant): Promise<boolean> {
  const { ends, clock } = deps;
  const { tenant_id, deleted_at = "", stripe_customer_id: customerId } = tenant;
  // From this time on nobody is served, no call is in flight, and no run of the creation is at work.
  const settledAt = Date.parse(deleted_at) + settlingSeconds * 1000;
  if (!(clock() >= settledAt)) return false;
  const progress = await ends.of(tenant_id);
  if (progress.endedAt !== undefined) return true;
  const subscriptionId = customerId && (await subscriptionOf(deps, tenant, customerId, progress));
  if (customerId && subscriptionId) {
    if (progress.cancelledAt === undefined) {
      if (!(await isReported(deps, tenant_id, settledAt))) return false;
      await (await deps.payments()).cancel(subscriptionId);
      await ends.cancelled(tenant_id, new Date(clock()).toISOString());
    }
    await collectAll(deps, { tenantId: tenant_id, customerId, subscriptionId });
  }
  const entry = customerId ? await owedEntry(deps, tenant_id, customerId) : undefined;
  await ends.ended(tenant_id, new Date(clock()).toISOString(), entry);
  return true;
}

export type BillingRemovalDependencies = BillingEndDependencies &
  CustomerRemovalDependencies & {
    tenants: Pick<TenantStore, "get">;
    ownedTenants: Pick<OwnedTenants, "release">;
    manifest: Pick<SetupManifest, "resource">;
  };

/** Ends the billing first; `waiting` while usage is still to be billed. May be repeated. @throws Refusal conflict unless deleted */
export async function removeBilling(deps: BillingRemovalDependencies, tenantId: string): Promise<Removal> {
  const tenant = await requireDeleted(deps.tenants, tenantId);
  if (!tenant) return {};
  if (!(await endBilling(deps, tenant))) return "waiting";
  // A tenant counts among its owner's until its billing has ended, so that the customer stays for that.
  const isLast = await deps.ownedTenants.release(tenant);
  return {
    stripe_subscription: (await deps.manifest.resource(tenantId, "stripe_subscription")) === undefined ? 0 : 1,
    stripe_customer: isLast ? await removeCustomer(deps, tenant.owner_sub) : 0,
  };
}

/** People pay what is owed to the owner, before the purge deletes the customer: the audit trail tells them. */
async function owedEntry(
  { overpaid, owed, clock, newId }: BillingEndDependencies,
  tenantId: string,
  customerId: string,
) {
  const microUsd = await overpaid(tenantId);
  if (microUsd === 0) return undefined;
  owed(tenantId, microUsd);
  const change = { tenant_id: platformTrail, actor: "payments", action: "billing.owed", target: tenantId } as const;
  const after = { customer_id: customerId, micro_usd: microUsd };
  return auditEntry({ ...change, after }, { id: newId(), now: clock() });
}

/** A creation that was cut off may have made a subscription that the tenant's row does not name. */
async function subscriptionOf(
  { payments }: BillingEndDependencies,
  { tenant_id, stripe_subscription_id }: Tenant,
  customerId: string,
  { isTried }: BillingEnd,
): Promise<string | undefined> {
  if (stripe_subscription_id !== undefined || !isTried) return stripe_subscription_id;
  return (await (await payments()).findSubscription({ customerId, tenantId: tenant_id }))?.id;
}

async function isReported(deps: BillingEndDependencies, tenantId: string, settledAt: number): Promise<boolean> {
  const open = await deps.unbilledUsage(tenantId, settledAt);
  if (open === 0) return true;
  if (deps.clock() < settledAt + patienceMs) return false;
  deps.lost(tenantId, open);
  return true;
}

/** Makes the workspace's drafts final, and tries every open invoice of the owner once more. */
async function collectAll(
  { payments, log }: BillingEndDependencies,
  { tenantId, customerId, subscriptionId }: { tenantId: string; customerId: string; subscriptionId: string },
): Promise<void> {
  const provider = await payments();
  for (const invoice of await provider.invoices(customerId)) {
    if (!isToCollect(invoice, subscriptionId)) continue;
    try {
      await provider.collect(invoice.id);
    } catch (error) {
      // The provider would refuse it again: people settle it at the provider's dashboard.
      if (!(error instanceof PaymentError)) throw error;
      log.problem("An invoice of a deleted workspace's owner could not be collected", { tenant_id: tenantId }, error);
    }
  }
}

function isToCollect({ status, subscriptionId }: PaymentInvoice, ended: string): boolean {
  return status === "open" || (status === "draft" && subscriptionId === ended);
}

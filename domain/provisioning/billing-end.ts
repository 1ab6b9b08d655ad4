// The end of a deleted workspace's billing: once its hours are closed, its subscription is cancelled with an invoice. What that
// invoice lacks of the workspace's total is added to it as an item, so that nothing waits for the provider to count. Then it is
// collected, and the owner's others too, whose collection the cancelling has stopped.

import { type CustomerRemovalDependencies, removeCustomer } from "../billing/customer-removal.ts";
import { invoiceLabel } from "../billing/invoice-label.ts";
import { overpaid } from "../billing/overpayment.ts";
import { type MicroUsd, PaymentError, type PaymentProvider } from "../billing/payment-provider.ts";
import type { Log } from "../kernel/log.ts";
import { hourMs } from "../kernel/period.ts";
import { invoicedSum, used } from "../reporting/billing-total.ts";
import { type FinalInvoiceDependencies, noteFinal } from "../reporting/final-invoices.ts";
import type { AuditEntry } from "../workspace/audit.ts";
import type { OwnedTenants } from "../workspace/owned-tenants.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import { type Removal, requireDeleted } from "./outside-resources.ts";
import { settlingSeconds } from "./purge.ts";
import type { SetupManifest } from "./setup-manifest.ts";

/** Progress of the end of a tenant's billing, stored in the manifest's row of its subscription. */
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

export type BillingEndDependencies = FinalInvoiceDependencies & {
  payments: () => Promise<PaymentProvider>;
  ends: BillingEndStore;
  /** Whether the meter has closed all hours until `endedAt` (milliseconds). */
  isMetered: (tenantId: string, endedAt: number) => Promise<boolean>;
  log: Log;
};

/**
 * Provisional usage keeps an hour open for a day at most (metering/closing.ts). Usage that is not closed after this time is never billed,
 * and an alarm tells of it.
 */
const patienceMs = 48 * hourMs;
/** Less than half a cent is charged to nobody. */
export const leastCharge: MicroUsd = 5_000;
/** Enough rounds for an item, the final invoice, and another one for usage that came meanwhile. */
const mostRounds = 6;

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
  if (!customerId) {
    await ends.ended(tenant_id, new Date(clock()).toISOString(), undefined);
    return true;
  }
  if (progress.cancelledAt === undefined) {
    if (!(await deps.isMetered(tenant_id, settledAt))) {
      if (clock() < settledAt + patienceMs) return false;
      deps.telemetry.unbilled("ended", { tenant_id });
    }
    if (subscriptionId) await (await deps.payments()).cancel(subscriptionId);
    await ends.cancelled(tenant_id, new Date(clock()).toISOString());
  }
  const amount = await billTheRest(deps, tenant, customerId);
  await collectOpen(deps, tenant_id, customerId);
  const entry = overpaid(deps, "payments", { tenantId: tenant_id, customerId, amount });
  await ends.ended(tenant_id, new Date(clock()).toISOString(), entry);
  return true;
}

/**
 * Makes the workspace's last invoices final with all that it has used, whatever the provider has counted. May be repeated: each round
 * reads the drafts, with what an earlier one has added.
 * @returns how much final invoices have billed too much
 */
export async function billTheRest(deps: BillingEndDependencies, tenant: Tenant, customerId: string): Promise<MicroUsd> {
  const tenantId = tenant.tenant_id;
  const { totals, telemetry, markup } = deps;
  const provider = await deps.payments();
  let total = await totals.get(tenantId);
  let takesLess = true;
  for (let round = 0; round < mostRounds; round++) {
    const invoices = (await provider.invoices(customerId)).filter((one) => one.tenantId === tenantId);
    const drafts = invoices.filter(({ status }) => status === "draft");
    if (total) total = await noteFinal(deps, total, invoices, { isCompared: false });
    const drafted = drafts.reduce((sum, { quantity }) => sum + quantity, 0);
    const missing = total ? used(total, markup) - invoicedSum(total) - drafted : 0;
    const [draft] = drafts.toSorted((one, other) => other.quantity - one.quantity);
    // A draft gives back no more than it has.
    const rest = draft ? Math.max(missing, -draft.quantity) : missing;
    if (draft ? rest > 0 || (rest < 0 && takesLess) : rest >= leastCharge) {
      try {
        await provider.addUsage({ customerId, tenantId, label: invoiceLabel(tenant), draft, quantity: rest });
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error;
        if (rest < 0) {
          // The provider takes nothing off a draft: it becomes final as it is, and what it has too much is owed to the owner.
          takesLess = false;
          continue;
        }
        // The customer was deleted in the provider's dashboard, or is billed in another currency there.
        telemetry.unbilled("ended", { tenant_id: tenantId, quantity: rest });
        return 0;
      }
    } else if (draft) {
      for (const { id } of drafts) await collect(deps, tenantId, id);
      // A draft that cannot be made final now is left to people, who are told by the provider's event.
      if ((await provider.invoices(customerId)).some(({ id, status }) => id === draft.id && status === "draft"))
        return 0;
    } else {
      if (total) await totals.settled(total);
      return Math.max(0, -missing);
    }
  }
  throw new Error(`the last invoices of the workspace ${tenantId} do not become what it has used`);
}

export type BillingRemovalDependencies = BillingEndDependencies &
  CustomerRemovalDependencies & {
    tenants: Pick<TenantStore, "get">;
    ownedTenants: Pick<OwnedTenants, "release">;
    manifest: Pick<SetupManifest, "resource">;
  };

/** Ends the billing first; `waiting` while usage is still to be billed. May be repeated. @throws Refusal workspace_not_deleted unless deleted */
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

/** Tries every open invoice of the owner once more: the cancelling has stopped their collection. */
async function collectOpen(deps: BillingEndDependencies, tenantId: string, customerId: string): Promise<void> {
  const invoices = await (await deps.payments()).invoices(customerId);
  for (const { id, status } of invoices) if (status === "open") await collect(deps, tenantId, id);
}

async function collect({ payments, log }: BillingEndDependencies, tenantId: string, invoiceId: string): Promise<void> {
  try {
    await (await payments()).collect(invoiceId);
  } catch (error) {
    // The provider would refuse it again: people settle it at the provider's dashboard.
    if (!(error instanceof PaymentError)) throw error;
    log.problem("An invoice of a deleted workspace's owner could not be collected", { tenant_id: tenantId }, error);
  }
}

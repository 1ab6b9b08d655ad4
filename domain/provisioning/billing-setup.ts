// The effects of a tenant's creation at the payment provider: the owner's customer, and the subscription of the workspace.

import type { Customer, CustomerStore } from "../billing/customer.ts";
import { unpaidReason, withDebts } from "../billing/debt.ts";
import { invoiceLabel } from "../billing/invoice-label.ts";
import type { PaymentProvider } from "../billing/payment-provider.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { UserStore } from "../people/user.ts";
import type { OutsideStep, Tenant, TenantStore } from "../workspace/tenant.ts";
import { changeTenant, type TenantChanges } from "../workspace/tenant-change.ts";
import { type Claim, claimMs, type SetupManifest } from "./setup-manifest.ts";

/** Counted from 1: `usage_1`, `usage_2` ... (`npm run stripe:setup` makes as many as an owner may have workspaces). */
export const firstSlot = 1;

/**
 * The slot of a workspace is the number of the meter and price by which it is billed. Two workspaces of an owner never share a slot,
 * since usage on a meter is billed on each of the customer's subscriptions that has its price.
 */
export interface SlotStore {
  /** Gives the tenant its slot: the one that it has, or the owner's lowest free one. A purge frees the slot. */
  claim(tenant: Pick<Tenant, "tenant_id" | "owner_sub">): Promise<number>;
}

export type BillingSetupDependencies = {
  /** Makes the provider with the account's present key, which may change while the function lives. */
  payments: () => Promise<PaymentProvider>;
  customers: CustomerStore;
  slots: SlotStore;
  tenants: Pick<TenantStore, "get">;
  tenantChanges: TenantChanges;
  users: Pick<UserStore, "record">;
  manifest: SetupManifest;
  automaticTax: boolean;
  clock: () => number;
  newId: () => string;
};

/**
 * The two effects of a creation at the payment provider, each of which may be repeated.
 * @throws Refusal changed_meanwhile while another run holds the step
 */
export function paymentEffects(deps: BillingSetupDependencies) {
  return {
    stripe_customer: (tenant: Tenant) => haveCustomer(deps, tenant),
    stripe_subscription: (tenant: Tenant) => subscribe(deps, tenant),
  };
}

/** A new workspace starts with what is known of its owner's payment methods, and suspended while its owner owes. */
async function haveCustomer(deps: BillingSetupDependencies, tenant: Tenant): Promise<void> {
  const { tenant_id, owner_sub } = tenant;
  const claim = await claimed(deps, tenant_id, "stripe_customer");
  if (!claim) return;
  const customer = await customerOf(deps, owner_sub);
  const { customer_id: stripeCustomerId, has_payment_method, owes = [] } = customer;
  if (owes.length > 0) {
    const change = (of: Tenant) => withDebts(of, { owes: true, reason: unpaidReason, now: deps.clock() });
    await changeTenant(deps, tenant, { actor: "payments", action: "tenant.suspend", change });
  }
  await deps.manifest.done(tenant_id, "stripe_customer", {
    resource: stripeCustomerId,
    until: claim.until,
    attributes: { stripe_customer_id: stripeCustomerId, ...(has_payment_method && { has_payment_method }) },
    customer,
  });
}

/** The customer on record unless it was deleted at the provider; else one that the provider knows; else a new one. */
async function customerOf({ payments, customers, users }: BillingSetupDependencies, sub: string): Promise<Customer> {
  const provider = await payments();
  const kept = await customers.get(sub);
  if (kept && (await provider.customerById(kept.customer_id))) return kept;
  const { profile } = await users.record(sub);
  if (!profile) throw new Error(`the owner ${sub} has no profile`);
  const email = await customers.addressToUse(sub, profile.email);
  const { id: customerId } = await provider.customer({ sub, email });
  await customers.put({ owner_sub: sub, customer_id: customerId }, kept);
  const now = await customers.get(sub);
  if (now?.customer_id === customerId) return now;
  throw new Error(`another customer of the owner ${sub} was kept at the same time`);
}

async function subscribe(deps: BillingSetupDependencies, { tenant_id }: Tenant): Promise<void> {
  const { payments, slots, tenants, manifest, automaticTax } = deps;
  // The tenant is read again, because this very run may have made the customer.
  const tenant = await tenants.get(tenant_id);
  const customerId = tenant?.stripe_customer_id;
  if (customerId === undefined) return;
  const claim = await claimed(deps, tenant_id, "stripe_subscription");
  if (!claim) return;
  const slot = await slots.claim(tenant as Tenant);
  // A step that was done is done again where somebody asked for a renewal (renewal.ts): the ended subscription is replaced.
  const insteadOf = claim.resource;
  const label = invoiceLabel(tenant as Tenant);
  const wanted = { customerId, tenantId: tenant_id, slot, label, automaticTax, insteadOf };
  const { id } = await (await payments()).subscription(wanted);
  const attributes = { stripe_subscription_id: id };
  await manifest.done(tenant_id, "stripe_subscription", { resource: id, until: claim.until, attributes });
}

async function claimed(
  { manifest, clock }: BillingSetupDependencies,
  tenantId: string,
  step: OutsideStep,
): Promise<Claim | undefined> {
  const now = clock();
  const claim = await manifest.claim(tenantId, step, { now, until: now + claimMs });
  if (claim === "taken")
    throw new Refusal("changed_meanwhile", "The workspace's billing is being set up by another run");
  return claim === "gone" ? undefined : claim;
}

// The effects of a tenant's creation at the payment provider: the owner's customer, and the subscription of the workspace.

import type { Customer, CustomerStore } from "../billing/customer.ts";
import type { PaymentProvider } from "../billing/payment-provider.ts";
import type { SlotStore } from "../billing/slot.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { OutsideStep, Tenant, TenantStore } from "../workspace/tenant.ts";
import type { UserStore } from "../workspace/user.ts";
import type { Claim, TenantSetups } from "./tenant-setup.ts";

export type SubscribingDependencies = {
  /** Its key may change while we run. */
  payments: () => Promise<PaymentProvider>;
  customers: CustomerStore;
  slots: SlotStore;
  tenants: Pick<TenantStore, "get">;
  users: Pick<UserStore, "record">;
  setups: TenantSetups;
  automaticTax: boolean;
  clock: () => number;
};

/** No run of `provision` lasts as long. */
const claimMs = 60_000;

/** Both effects, each of which may be repeated. @throws Refusal conflict while another run is at it */
export function paymentEffects(deps: SubscribingDependencies) {
  return {
    stripe_customer: (tenant: Tenant) => haveCustomer(deps, tenant),
    stripe_subscription: (tenant: Tenant) => subscribe(deps, tenant),
  };
}

/** A new workspace starts with what is known of its owner's payment methods. */
async function haveCustomer(deps: SubscribingDependencies, { tenant_id, owner_sub }: Tenant): Promise<void> {
  const claim = await claimed(deps, tenant_id, "stripe_customer");
  if (!claim) return;
  const customer = await customerOf(deps, owner_sub);
  const { customer_id: stripe_customer_id, has_payment_method } = customer;
  await deps.setups.done(tenant_id, "stripe_customer", {
    resource: stripe_customer_id,
    until: claim.until,
    attributes: { stripe_customer_id, ...(has_payment_method && { has_payment_method }) },
    customer,
  });
}

/** The one that is kept, unless it was deleted at the provider; one that is there and is not kept; or a new one. */
async function customerOf({ payments, customers, users }: SubscribingDependencies, sub: string): Promise<Customer> {
  const provider = await payments();
  const kept = await customers.get(sub);
  if (kept && !kept.is_leaving && (await provider.customerById(kept.customer_id))) return kept;
  // Before we look: what a purge is about to delete would be found.
  if (kept?.is_leaving) await provider.deleteCustomer(kept.customer_id);
  const { profile } = await users.record(sub);
  if (!profile) throw new Error(`the owner ${sub} has no profile`);
  const email = await customers.addressToUse(sub, profile.email);
  const { id: customer_id } = await provider.customer({ sub, email });
  await customers.put({ owner_sub: sub, customer_id }, kept);
  const now = await customers.get(sub);
  if (now?.customer_id === customer_id) return now;
  throw new Error(`another customer of the owner ${sub} was kept at the same time`);
}

async function subscribe(deps: SubscribingDependencies, { tenant_id }: Tenant): Promise<void> {
  const { payments, slots, tenants, setups, automaticTax } = deps;
  // As it is now: the customer may have been made by this very run.
  const tenant = await tenants.get(tenant_id);
  const customerId = tenant?.stripe_customer_id;
  if (customerId === undefined) return;
  const claim = await claimed(deps, tenant_id, "stripe_subscription");
  if (!claim) return;
  const slot = await slots.claim(tenant as Tenant);
  // What was done before is done again where people had it renewed (renewal.ts).
  const insteadOf = claim.resource;
  const wanted = { customerId, tenantId: tenant_id, slot, automaticTax, insteadOf };
  const { id } = await (await payments()).subscription(wanted);
  const attributes = { stripe_subscription_id: id };
  await setups.done(tenant_id, "stripe_subscription", { resource: id, until: claim.until, attributes });
}

async function claimed(
  { setups, clock }: SubscribingDependencies,
  tenantId: string,
  step: OutsideStep,
): Promise<Claim | undefined> {
  const now = clock();
  const claim = await setups.claim(tenantId, step, { now, until: now + claimMs });
  if (claim === "taken") throw new Refusal("conflict", "The workspace's billing is being set up by another run");
  return claim === "gone" ? undefined : claim;
}

// Removal of a customer: the purge of an owner's last workspace deletes the owner's customer at the payment provider.
import type { UserStore } from "../people/user.ts";
import type { Customer, CustomerStore } from "./customer.ts";
import type { PaymentProvider } from "./payment-provider.ts";

export type CustomerRemovalDependencies = {
  payments: () => Promise<PaymentProvider>;
  customers: CustomerStore;
  users: Pick<UserStore, "record">;
};

/**
 * Deletes the owner's customers at the payment provider, once the owner can open no workspace any more. May be repeated.
 * @returns how many customers this run deleted
 */
export async function removeCustomer(deps: CustomerRemovalDependencies, ownerSub: string): Promise<number> {
  const { customers, payments } = deps;
  const kept = await customers.get(ownerSub);
  const customer = (await unrecorded(deps, ownerSub, kept)) ?? kept;
  const isLeaving = customer !== undefined && (await customers.leave(customer));
  if (isLeaving) {
    await (await payments()).deleteCustomer(customer.customer_id);
    await customers.remove(customer);
  }
  await customers.forgetAddress(ownerSub);
  return isLeaving ? 1 : 0;
}

/** A customer that exists at the provider and not in the table, since its creation was cut off between both. */
async function unrecorded(
  { customers, payments, users }: CustomerRemovalDependencies,
  sub: string,
  kept: Customer | undefined,
): Promise<Customer | undefined> {
  const inUse = await customers.addressInUse(sub);
  if (kept && inUse === undefined) return undefined;
  const email = inUse ?? (await users.record(sub)).profile?.email;
  const found = email === undefined ? undefined : await (await payments()).findCustomer({ sub, email });
  if (!found || found.id === kept?.customer_id) return undefined;
  await customers.put({ owner_sub: sub, customer_id: found.id }, kept);
  return customers.get(sub);
}

// The purge's part: the owner's customer goes with the owner's last workspace, once the billing of all of them has ended.
import type { Tenant } from "../tenancy/tenant.ts";
import type { UserStore } from "../tenancy/user.ts";
import type { Customer, CustomerStore } from "./customer.ts";
import type { PaymentProvider } from "./payment-provider.ts";

export type CustomerRemovalDependencies = {
  payments: () => Promise<PaymentProvider>;
  customers: CustomerStore;
  users: Pick<UserStore, "record">;
};

/** May be repeated. @returns how many customers were deleted, this time */
export async function removeCustomer(
  deps: CustomerRemovalDependencies,
  { tenant_id, owner_sub }: Pick<Tenant, "tenant_id" | "owner_sub">,
): Promise<number> {
  const { customers, payments } = deps;
  const customer = (await customers.get(owner_sub)) ?? (await unnoted(deps, owner_sub));
  // From here on a creation makes another one.
  if (!customer || !(await customers.leave(customer, tenant_id))) return 0;
  await (await payments()).deleteCustomer(customer.customer_id);
  await customers.remove(customer);
  return 1;
}

/** One whose creation was cut off before anybody noted it. */
async function unnoted(
  { customers, payments, users }: CustomerRemovalDependencies,
  sub: string,
): Promise<Customer | undefined> {
  const { profile } = await users.record(sub);
  const found = profile && (await (await payments()).findCustomer({ sub, email: profile.email }));
  if (!found) return undefined;
  await customers.put({ owner_sub: sub, customer_id: found.id }, undefined);
  return customers.get(sub);
}

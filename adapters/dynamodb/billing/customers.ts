// Customers in the table. Each change increases the version, and is written only at the version that was read.
import type { Customer, CustomerStore } from "../../../domain/billing/customer.ts";
import { recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { absent, attribute, change, check, remove, setting, update, when } from "../write.ts";

/** Prefix of the attributes on the row of an owner's tenants, one for each tenant. */
const tenantPrefix = "t#";

export function customerStore(rows: Rows): CustomerStore {
  return {
    get: async (ownerSub) => recordOf<Customer>(await rows.get(keys.customer(ownerSub))),

    async addressToUse(ownerSub, email) {
      const first = change`SET email = if_not_exists(email, ${email})`;
      return String((await rows.updated(keys.customerAddress(ownerSub), first))?.email);
    },

    async addressInUse(ownerSub) {
      return (await rows.get(keys.customerAddress(ownerSub)))?.email as string | undefined;
    },

    async tenantsOf(ownerSub) {
      const names = Object.keys((await rows.get(keys.ownedTenants(ownerSub))) ?? {});
      return names.filter((name) => name.startsWith(tenantPrefix)).map((name) => name.slice(tenantPrefix.length));
    },

    async put({ owner_sub, customer_id }, before) {
      const next = { owner_sub, customer_id, has_payment_method: false, version: (before?.version ?? 0) + 1 };
      const failed = await rows.transact([
        update(
          keys.customer(owner_sub),
          setting({ ...next, is_leaving: undefined }),
          before ? when`version = ${before.version}` : absent,
        ),
        remove(keys.customerAddress(owner_sub)),
      ]);
      return failed === undefined;
    },

    async leave({ owner_sub, customer_id }, tenantId) {
      const leaving = change`SET is_leaving = ${true} ADD version ${1}`;
      const failed = await rows.transact([
        update(keys.customer(owner_sub), leaving, when`customer_id = ${customer_id}`),
        hasNoOther(owner_sub, tenantId),
      ]);
      return failed === undefined;
    },

    async remove({ owner_sub, customer_id }) {
      await rows.delete(keys.customer(owner_sub), when`customer_id = ${customer_id} AND is_leaving = ${true}`);
    },

    async forgetAddress(ownerSub, tenantId) {
      await rows.transact([remove(keys.customerAddress(ownerSub)), hasNoOther(ownerSub, tenantId)]);
    },
  };
}

function hasNoOther(ownerSub: string, tenantId: string) {
  const own = attribute(tenantPrefix + tenantId);
  return check(
    keys.ownedTenants(ownerSub),
    when`attribute_not_exists(pk) OR owned < ${1} OR (owned = ${1} AND attribute_exists(${own}))`,
  );
}

/** A condition of a transaction: the customer has not changed since it was read. */
export function isUnchanged({ owner_sub, version }: Customer) {
  return check(keys.customer(owner_sub), when`version = ${version} AND attribute_not_exists(is_leaving)`);
}

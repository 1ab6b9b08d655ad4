// Customers in the table. Each change increases the version, and is written only at the version that was read.
import type { Customer, CustomerStore } from "../../../domain/billing/customer.ts";
import { hasKey, recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, keys } from "../schema.ts";
import { ownedTenants } from "../workspace/owned-tenants.ts";
import { absent, change, check, remove, setting, update, when } from "../write.ts";

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

    tenantsOf: ownedTenants(rows).of,

    async *unread(before) {
      const { gsi2_pk: pk } = activeIndex.customer("", "");
      for await (const page of rows.pages({ pk, by: "activeIndex", upTo: before })) {
        for (const item of page) {
          const [, ...rest] = String(item.gsi2_sk).split("#");
          const ownerSub = rest.join("#");
          if (hasKey(item, keys.customer(ownerSub))) yield ownerSub;
        }
      }
    },

    async put({ owner_sub, customer_id }, before) {
      const next = {
        ...{ owner_sub, customer_id, has_payment_method: false, version: (before?.version ?? 0) + 1 },
        // The date is in the past because no round has read the customer's state at the provider yet: the next round does.
        ...activeIndex.customer("2000", owner_sub),
      };
      const failed = await rows.transact([
        update(
          keys.customer(owner_sub),
          setting({ ...next, is_leaving: undefined, owes: undefined, seen: undefined }),
          before ? when`version = ${before.version}` : absent,
        ),
        remove(keys.customerAddress(owner_sub)),
      ]);
      return failed === undefined;
    },

    leave: ({ owner_sub, customer_id }) =>
      rows.update(
        keys.customer(owner_sub),
        change`SET is_leaving = ${true} ADD version ${1}`,
        when`customer_id = ${customer_id}`,
      ),

    async remove({ owner_sub, customer_id }) {
      await rows.delete(keys.allowance(owner_sub));
      await rows.delete(keys.customer(owner_sub), when`customer_id = ${customer_id} AND is_leaving = ${true}`);
    },

    async forgetAddress(ownerSub) {
      await rows.delete(keys.customerAddress(ownerSub));
    },
  };
}

/** A condition of a transaction: the customer has not changed since it was read. */
export function isUnchanged({ owner_sub, version }: Customer) {
  return check(keys.customer(owner_sub), when`version = ${version} AND attribute_not_exists(is_leaving)`);
}

// Customers in the table. Each change increases the version, and is written only at the version that was read.
import type { Customer, CustomerStore } from "../../../domain/billing/customer.ts";
import { hasKey } from "../client.ts";
import { records } from "../records.ts";
import { removals } from "../removal.ts";
import type { Rows } from "../rows.ts";
import { ownedTenants } from "../workspace/owned-tenants.ts";
import { absent, change, check, remove, setting, update, when } from "../write.ts";
import { customerAddressRecord, customerRecord } from "./customer.record.ts";

export function customerStore(rows: Rows): CustomerStore {
  return {
    get: (ownerSub) => rows.read(customerRecord, { owner_sub: ownerSub }),

    async addressToUse(ownerSub, email) {
      const first = change`SET email = if_not_exists(email, ${email})`;
      return String((await rows.updated(customerAddressRecord.key({ owner_sub: ownerSub }), first))?.email);
    },

    async addressInUse(ownerSub) {
      return (await rows.read(customerAddressRecord, { owner_sub: ownerSub }))?.email;
    },

    tenantsOf: ownedTenants(rows).of,

    async *unread(before) {
      const range = customerRecord.activeIndexRange({});
      for await (const page of rows.pages({ ...range, upTo: before })) {
        for (const item of page) {
          const [, ...rest] = String(item.gsi2_sk).split("#");
          const ownerSub = rest.join("#");
          if (hasKey(item, customerRecord.key({ owner_sub: ownerSub }))) yield ownerSub;
        }
      }
    },

    async put({ owner_sub, customer_id }, before) {
      const next = {
        ...{ owner_sub, customer_id, has_payment_method: false, version: (before?.version ?? 0) + 1 },
        // The date is in the past because no round has read the customer's state at the provider yet: the next round does.
        ...customerRecord.activeIndexKey({ read_at: "2000", owner_sub }),
      };
      const failed = await rows.transact([
        update(
          customerRecord.key({ owner_sub }),
          setting({ ...next, is_leaving: undefined, owes: undefined, seen: undefined }),
          before ? when`version = ${before.version}` : absent,
        ),
        remove(customerAddressRecord.key({ owner_sub })),
      ]);
      return failed === undefined;
    },

    leave: ({ owner_sub, customer_id }) =>
      rows.update(
        customerRecord.key({ owner_sub }),
        change`SET is_leaving = ${true} ADD version ${1}`,
        when`customer_id = ${customer_id}`,
      ),

    /** All of an owner's rows go at once: a reading of the provider that ends later finds no customer, and brings no row back. */
    async remove({ owner_sub, customer_id }) {
      const isLeaving = when`customer_id = ${customer_id} AND is_leaving = ${true}`;
      await rows.transact(
        removals(records, "owner").map(({ record }) =>
          remove(record.key({ owner_sub }), record.title === customerRecord.title ? isLeaving : undefined),
        ),
      );
    },

    async forgetAddress(ownerSub) {
      await rows.delete(customerAddressRecord.key({ owner_sub: ownerSub }));
    },
  };
}

/** A condition of a transaction: the customer has not changed since it was read. */
export function isUnchanged({ owner_sub, version }: Customer) {
  return check(customerRecord.key({ owner_sub }), when`version = ${version} AND attribute_not_exists(is_leaving)`);
}

// Customers in the table. Each change increases the version, and is written only at the version that was read.
import type { Customer, CustomerStore } from "../../../domain/billing/customer.ts";
import { recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";

/** Prefix of the attributes on the row of an owner's tenants, one for each tenant. */
const tenantPrefix = "t#";

export function customerStore(rows: Rows): CustomerStore {
  return {
    get: async (ownerSub) => recordOf<Customer>(await rows.get(keys.customer(ownerSub))),

    async addressToUse(ownerSub, email) {
      const address = await rows.updated(keys.customerAddress(ownerSub), {
        UpdateExpression: "SET email = if_not_exists(email, :email)",
        ExpressionAttributeValues: { ":email": email },
      });
      return String(address?.email);
    },

    async addressInUse(ownerSub) {
      return (await rows.get(keys.customerAddress(ownerSub)))?.email as string | undefined;
    },

    async tenantsOf(ownerSub) {
      const names = Object.keys((await rows.get(keys.ownedTenants(ownerSub))) ?? {});
      return names.filter((name) => name.startsWith(tenantPrefix)).map((name) => name.slice(tenantPrefix.length));
    },

    async put({ owner_sub, customer_id }, before) {
      const Update = {
        Key: keys.customer(owner_sub),
        UpdateExpression:
          "SET owner_sub = :owner, customer_id = :customer, has_payment_method = :none, version = :next REMOVE is_leaving",
        ConditionExpression: before ? "version = :version" : "attribute_not_exists(pk)",
        ExpressionAttributeValues: {
          ":owner": owner_sub,
          ":customer": customer_id,
          ":none": false,
          ":next": (before?.version ?? 0) + 1,
          ...(before && { ":version": before.version }),
        },
      };
      const Delete = { Key: keys.customerAddress(owner_sub) };
      return (await rows.transact([{ Update }, { Delete }])) === undefined;
    },

    async leave({ owner_sub, customer_id }, tenantId) {
      const failed = await rows.transact([
        {
          Update: {
            Key: keys.customer(owner_sub),
            UpdateExpression: "SET is_leaving = :true ADD version :one",
            ConditionExpression: "customer_id = :customer",
            ExpressionAttributeValues: { ":true": true, ":one": 1, ":customer": customer_id },
          },
        },
        hasNoOther(owner_sub, tenantId),
      ]);
      return failed === undefined;
    },

    async remove({ owner_sub, customer_id }) {
      await rows.delete(keys.customer(owner_sub), {
        ConditionExpression: "customer_id = :customer AND is_leaving = :true",
        ExpressionAttributeValues: { ":customer": customer_id, ":true": true },
      });
    },

    async forgetAddress(ownerSub, tenantId) {
      const Delete = { Key: keys.customerAddress(ownerSub) };
      await rows.transact([{ Delete }, hasNoOther(ownerSub, tenantId)]);
    },
  };
}

function hasNoOther(ownerSub: string, tenantId: string) {
  return {
    ConditionCheck: {
      Key: keys.ownedTenants(ownerSub),
      ConditionExpression: "attribute_not_exists(pk) OR owned < :one OR (owned = :one AND attribute_exists(#tenant))",
      ExpressionAttributeNames: { "#tenant": `${tenantPrefix}${tenantId}` },
      ExpressionAttributeValues: { ":one": 1 },
    },
  };
}

/** A condition of a transaction: the customer has not changed since it was read. */
export function isUnchanged({ owner_sub, version }: Customer) {
  return {
    ConditionCheck: {
      Key: keys.customer(owner_sub),
      ConditionExpression: "version = :version AND attribute_not_exists(is_leaving)",
      ExpressionAttributeValues: { ":version": version },
    },
  };
}

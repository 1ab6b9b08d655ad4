// Slots of an owner's workspaces: each is an attribute of the row that lists what the owner has, and a number on the tenant's row.
import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { firstSlot, type SlotStore } from "../../../domain/billing/slot.ts";
import { transact, withRetries } from "../client.ts";
import { keys } from "../schema.ts";

/** The attribute of an owner's row that names the workspace of a slot. */
export const slotAttribute = (slot: number) => `s#${slot}`;

export function slotStore(client: DynamoDBDocumentClient, tableName: string): SlotStore {
  const read = async (Key: object) => {
    const command = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
    return (await withRetries(() => client.send(command))).Item ?? {};
  };

  return {
    async claim({ tenant_id, owner_sub }) {
      for (;;) {
        const { billing_slot } = await read(keys.tenant(tenant_id));
        if (typeof billing_slot === "number") return billing_slot;
        const owned = await read(keys.ownedTenants(owner_sub));
        let slot = firstSlot;
        while (slotAttribute(slot) in owned) slot += 1;
        const failed = await transact(client, [
          {
            Update: {
              TableName: tableName,
              Key: keys.tenant(tenant_id),
              UpdateExpression: "SET billing_slot = :slot",
              ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(billing_slot)",
              ExpressionAttributeValues: { ":slot": slot },
            },
          },
          {
            Update: {
              TableName: tableName,
              Key: keys.ownedTenants(owner_sub),
              UpdateExpression: "SET #slot = :tenant",
              ConditionExpression: "attribute_exists(#tenant) AND attribute_not_exists(#slot)",
              ExpressionAttributeNames: { "#slot": slotAttribute(slot), "#tenant": `t#${tenant_id}` },
              ExpressionAttributeValues: { ":tenant": tenant_id },
            },
          },
        ]);
        if (failed === undefined) return slot;
        // Another run has claimed this tenant or this slot first: the next round reads again.
        if (!(await isThere(tenant_id, owner_sub))) throw new Error(`tenant ${tenant_id} is not among its owner's`);
      }
    },
  };

  async function isThere(tenantId: string, ownerSub: string): Promise<boolean> {
    const [tenant, owned] = await Promise.all([read(keys.tenant(tenantId)), read(keys.ownedTenants(ownerSub))]);
    return "pk" in tenant && `t#${tenantId}` in owned;
  }
}

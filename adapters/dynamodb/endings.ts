// How far the end of a tenant's billing is: on the manifest's row of its subscription.
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { EndingStore } from "../../domain/billing/ending.ts";
import { withRetries } from "./client.ts";
import { keys } from "./schema.ts";

export function endingStore(client: DynamoDBDocumentClient, tableName: string): EndingStore {
  const row = (tenantId: string) => ({ TableName: tableName, Key: keys.manifest(tenantId, "stripe_subscription") });
  const note = async (tenantId: string, name: "cancelled_at" | "ended_at", at: string) => {
    const command = new UpdateCommand({
      ...row(tenantId),
      UpdateExpression:
        "SET #name = if_not_exists(#name, :at), kind = :kind, #state = if_not_exists(#state, :intended)",
      ExpressionAttributeNames: { "#name": name, "#state": "state" },
      ExpressionAttributeValues: { ":at": at, ":kind": "stripe_subscription", ":intended": "intended" },
    });
    await withRetries(() => client.send(command));
  };
  return {
    async of(tenantId) {
      const { Item } = await withRetries(() => client.send(new GetCommand({ ...row(tenantId), ConsistentRead: true })));
      return {
        isTried: Number(Item?.attempts ?? 0) > 0,
        cancelledAt: Item?.cancelled_at as string | undefined,
        endedAt: Item?.ended_at as string | undefined,
      };
    },
    cancelled: (tenantId, at) => note(tenantId, "cancelled_at", at),
    ended: (tenantId, at) => note(tenantId, "ended_at", at),
  };
}

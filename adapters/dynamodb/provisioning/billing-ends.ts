// The progress of a tenant's billing end, which is on the manifest's row of its subscription.
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { BillingEndStore } from "../../../domain/provisioning/billing-end.ts";
import { transact, withRetries } from "../client.ts";
import { keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";

export function billingEndStore(client: DynamoDBDocumentClient, tableName: string): BillingEndStore {
  const row = (tenantId: string) => ({ TableName: tableName, Key: keys.manifest(tenantId, "stripe_subscription") });
  const noted = (tenantId: string, name: "cancelled_at" | "ended_at", at: string) => ({
    ...row(tenantId),
    UpdateExpression: "SET #name = if_not_exists(#name, :at), kind = :kind, #state = if_not_exists(#state, :intended)",
    ExpressionAttributeNames: { "#name": name, "#state": "state" },
    ExpressionAttributeValues: { ":at": at, ":kind": "stripe_subscription", ":intended": "intended" },
  });
  return {
    async of(tenantId) {
      const { Item } = await withRetries(() => client.send(new GetCommand({ ...row(tenantId), ConsistentRead: true })));
      return {
        isTried: Number(Item?.attempts ?? 0) > 0,
        cancelledAt: Item?.cancelled_at as string | undefined,
        endedAt: Item?.ended_at as string | undefined,
      };
    },
    async cancelled(tenantId, at) {
      await withRetries(() => client.send(new UpdateCommand(noted(tenantId, "cancelled_at", at))));
    },
    async ended(tenantId, at, entry) {
      const Update = noted(tenantId, "ended_at", at);
      if (entry) await transact(client, [{ Update }, auditPut(tableName, entry)]);
      else await withRetries(() => client.send(new UpdateCommand(Update)));
    },
  };
}

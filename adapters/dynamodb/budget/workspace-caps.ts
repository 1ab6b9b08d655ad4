// A workspace's cap, for the meter, which reads and marks it and names no other attribute of the tenant's row.
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { WorkspaceCap, WorkspaceCapStore } from "../../../domain/budget/workspace-cap.ts";
import { withRetries, written } from "../client.ts";
import { keys } from "../schema.ts";

const isStill = "capped_month.#month = :month AND capped_month.#spent = :spent";

export function workspaceCapStore(client: DynamoDBDocumentClient, tableName: string): WorkspaceCapStore {
  return {
    async of(tenantId) {
      const command = new GetCommand({
        TableName: tableName,
        Key: keys.tenant(tenantId),
        ProjectionExpression: "pk, monthly_cap_usd, capped_month",
        ConsistentRead: true,
      });
      const { Item } = await withRetries(() => client.send(command));
      if (!Item) return undefined;
      const { monthly_cap_usd, capped_month } = Item as WorkspaceCap;
      return { monthly_cap_usd, capped_month };
    },

    async mark(tenantId, { from, to }) {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: keys.tenant(tenantId),
        UpdateExpression: to ? "SET capped_month = :to" : "REMOVE capped_month",
        // The condition keeps the mark from bringing back the row of a purged tenant.
        ConditionExpression: `attribute_exists(pk) AND ${from ? isStill : "attribute_not_exists(capped_month)"}`,
        ...(from && { ExpressionAttributeNames: { "#month": "month", "#spent": "spent" } }),
        ...((from || to) && {
          ExpressionAttributeValues: {
            ...(from && { ":month": from.month, ":spent": from.spent }),
            ...(to && { ":to": to }),
          },
        }),
      });
      await written(() => client.send(command));
    },
  };
}

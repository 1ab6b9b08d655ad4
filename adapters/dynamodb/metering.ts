// What the meter reads of the table: who spent in a month, what a caller has reserved, how far the rollups are.
import { type DynamoDBDocumentClient, GetCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { MeteringDependencies } from "../../domain/spending/metering.ts";
import type { SpendingKey } from "../../domain/spending/spending.ts";
import { withRetries, written } from "./client.ts";
import { keys } from "./schema.ts";
import { spendingOf } from "./spending-expressions.ts";

type MeteringStore = Pick<MeteringDependencies, "activeCallers" | "spendingOf" | "progress">;

export function meteringStore(client: DynamoDBDocumentClient, tableName: string): MeteringStore {
  const progress = { TableName: tableName, Key: keys.rollupProgress() };
  return {
    async *activeCallers(month) {
      const pages = paginateQuery(
        { client },
        {
          TableName: tableName,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": keys.activeCaller("", "", month).pk },
          ConsistentRead: true,
        },
      );
      for await (const { Items = [] } of pages) {
        for (const { tenant_id, caller_id } of Items) yield { tenantId: tenant_id, callerId: caller_id, month };
      }
    },

    async spendingOf({ tenantId, callerId, month }: SpendingKey) {
      const Key = keys.spending(tenantId, callerId, month);
      const command = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
      const { Item } = await withRetries(() => client.send(command));
      return spendingOf(Item);
    },

    progress: {
      async get() {
        const { Item } = await withRetries(() => client.send(new GetCommand({ ...progress, ConsistentRead: true })));
        return Item?.hour as string | undefined;
      },

      async advance(from, to) {
        const command = new UpdateCommand({
          ...progress,
          UpdateExpression: "SET #hour = :to",
          // Two meters at once do the same work; the slower one must not turn the clock back.
          ConditionExpression: from === undefined ? "attribute_not_exists(pk)" : "#hour = :from",
          ExpressionAttributeNames: { "#hour": "hour" },
          ExpressionAttributeValues: { ":to": to, ...(from !== undefined && { ":from": from }) },
        });
        await written(() => client.send(command));
      },
    },
  };
}

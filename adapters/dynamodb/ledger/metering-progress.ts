// The meter's progress in the table: a row for each tenant and month, and one for each month and shard whose hours are all closed.
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { nextMonth, startOfMonth } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { MeteringProgressStore, TenantProgress } from "../../../domain/ledger/metering-progress.ts";
import { withRetries, written } from "../client.ts";
import { type Key, keys } from "../schema.ts";

export function meteringProgressStore(client: DynamoDBDocumentClient, tableName: string): MeteringProgressStore {
  async function get(Key: Key): Promise<Record<string, unknown> | undefined> {
    const command = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
    return (await withRetries(() => client.send(command))).Item;
  }

  return {
    async of(tenantId, month) {
      const item = await get(keys.tenantProgress(tenantId, month));
      if (!item) return undefined;
      const { next, waiting, version } = item as TenantProgress;
      return { next, waiting, version };
    },

    async advance(tenantId, month, to) {
      const isFirst = to.version === 1;
      const command = new PutCommand({
        TableName: tableName,
        Item: { ...keys.tenantProgress(tenantId, month), ...to, expires_at: expiryOf(month) },
        ConditionExpression: isFirst ? "attribute_not_exists(pk)" : "version = :before",
        ...(!isFirst && { ExpressionAttributeValues: { ":before": to.version - 1 } }),
      });
      await written(() => client.send(command));
    },

    async isDone(month, shard) {
      return (await get(keys.shardProgress(month, shard))) !== undefined;
    },

    async done(month, shard) {
      const Item = { ...keys.shardProgress(month, shard), expires_at: expiryOf(month) };
      await withRetries(() => client.send(new PutCommand({ TableName: tableName, Item })));
    },
  };
}

function expiryOf(month: string): number {
  return expiresAt("meterProgress", nextMonth(startOfMonth(month)));
}

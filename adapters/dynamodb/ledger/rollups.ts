// Rollups in the table: rows by tenant and month, one for each hour, caller and model.
import { type DynamoDBDocumentClient, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { startOfHour } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { Rollup, RollupStore } from "../../../domain/ledger/rollup.ts";
import { recordOf, written } from "../client.ts";
import { keys } from "../schema.ts";

export function rollupStore(client: DynamoDBDocumentClient, tableName: string): RollupStore {
  return {
    async put(rollups, readAt) {
      for (const rollup of rollups) {
        const expires_at = expiresAt("rollup", startOfHour(rollup.hour));
        const command = new PutCommand({
          TableName: tableName,
          Item: { ...keys.rollup(rollup), ...rollup, read_at: readAt, expires_at },
          ConditionExpression: "attribute_not_exists(read_at) OR read_at <= :read_at",
          ExpressionAttributeValues: { ":read_at": readAt },
        });
        await written(() => client.send(command));
      }
    },

    async *list(tenantId, from, to) {
      for (const month of monthsBetween(from, to)) {
        const pages = paginateQuery(
          { client },
          {
            TableName: tableName,
            KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
            ExpressionAttributeValues: {
              ":pk": keys.rollups(tenantId, month).pk,
              ":from": from,
              // A sort key is `<hour>#<caller>#<model>`, and "~" sorts after "#".
              ":to": `${to}~`,
            },
          },
        );
        for await (const { Items = [] } of pages) if (Items.length > 0) yield Items.map(rowOf);
      }
    },
  };
}

type StoredRollup = Rollup & { read_at: number; expires_at: number };

function rowOf(item: Record<string, unknown>): Rollup {
  const { read_at: _readAt, expires_at: _expiresAt, ...rollup } = recordOf<StoredRollup>(item) as StoredRollup;
  // Rollups of older versions have no `estimated_cost`.
  return { ...rollup, estimated_cost: rollup.estimated_cost ?? 0 };
}

/** The months from one hour or day to another. Their first seven characters are the month. */
function monthsBetween(from: string, to: string): string[] {
  const months: string[] = [];
  const date = new Date(`${from.slice(0, 7)}-01T00:00:00Z`);
  for (let month = from.slice(0, 7); month <= to.slice(0, 7); month = date.toISOString().slice(0, 7)) {
    months.push(month);
    date.setUTCMonth(date.getUTCMonth() + 1);
  }
  return months;
}

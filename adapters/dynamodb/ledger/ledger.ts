// The ledger in the table: rows by tenant and hour. A row is written once, and a provisional one is replaced once
// (ledger-transactions.ts).
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { hourOf } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { LedgerRow, LedgerStore } from "../../../domain/ledger/ledger.ts";
import { recordOf, withRetries } from "../client.ts";
import { type Key, keys } from "../schema.ts";

export function ledgerStore(client: DynamoDBDocumentClient, tableName: string): LedgerStore {
  return {
    async putIfAbsent(row) {
      try {
        const command = new PutCommand({
          TableName: tableName,
          Item: ledgerItem(row),
          ConditionExpression: "attribute_not_exists(pk)",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        });
        await withRetries(() => client.send(command));
        return row;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException && error.Item)) throw error;
        return rowOf(unmarshall(error.Item));
      }
    },

    async get(row) {
      const command = new GetCommand({ TableName: tableName, Key: keyOf(row), ConsistentRead: true });
      const { Item } = await withRetries(() => client.send(command));
      return Item && rowOf(Item);
    },

    async *hour(tenantId, hour) {
      const pages = paginateQuery(
        { client },
        {
          TableName: tableName,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": keys.ledger(tenantId, hour, "").pk },
          ConsistentRead: true,
        },
      );
      for await (const { Items = [] } of pages) if (Items.length > 0) yield Items.map(rowOf);
    },
  };
}

/** The row as it is stored. */
export function ledgerItem(row: LedgerRow) {
  return { ...keyOf(row), ...row, expires_at: expiresAt("ledger", Date.parse(row.admitted_at)) };
}

function keyOf(row: Parameters<LedgerStore["get"]>[0]): Key {
  return keys.ledger(row.tenant_id, hourOf(Date.parse(row.admitted_at)), row.request_id);
}

function rowOf(item: Record<string, unknown>): LedgerRow {
  const { expires_at: _expiresAt, ...row } = recordOf<LedgerRow & { expires_at: number }>(item) as LedgerRow & {
    expires_at: number;
  };
  return row;
}

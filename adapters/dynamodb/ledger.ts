// The ledger: rows by tenant and hour, each written once.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { hourOf } from "../../domain/period.ts";
import type { LedgerRow, LedgerStore } from "../../domain/spending/ledger.ts";
import { recordOf, withRetries } from "./client.ts";
import { keys } from "./schema.ts";

/** 45 days, longer than a month's bill can be questioned before it is closed (design, section 7). */
const lifeSeconds = 45 * 24 * 3600;

export function ledgerStore(client: DynamoDBDocumentClient, tableName: string): LedgerStore {
  return {
    async putIfAbsent(row) {
      const admittedAt = Date.parse(row.admitted_at);
      const key = keys.ledger(row.tenant_id, hourOf(admittedAt), row.request_id);
      try {
        const command = new PutCommand({
          TableName: tableName,
          Item: { ...key, ...row, expires_at: Math.floor(admittedAt / 1000) + lifeSeconds },
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

    async hour(tenantId, hour) {
      const rows: LedgerRow[] = [];
      const pages = paginateQuery(
        { client },
        {
          TableName: tableName,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": keys.ledger(tenantId, hour, "").pk },
          ConsistentRead: true,
        },
      );
      for await (const { Items = [] } of pages) rows.push(...Items.map(rowOf));
      return rows;
    },
  };
}

function rowOf(item: Record<string, unknown>): LedgerRow {
  const { expires_at: _expiresAt, ...row } = recordOf<LedgerRow & { expires_at: number }>(item) as LedgerRow & {
    expires_at: number;
  };
  return row;
}

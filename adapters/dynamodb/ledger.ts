// The ledger: rows by tenant and hour, each written once.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { LedgerRow } from "../../domain/ledger.ts";
import { hourOf } from "../../domain/period.ts";
import type { LedgerStore } from "../../domain/settlement.ts";
import { keys } from "./schema.ts";

/** 45 days, longer than a month's bill can be questioned before it is closed (design, section 7). */
const lifeSeconds = 45 * 24 * 3600;

export function ledgerStore(client: DynamoDBDocumentClient, tableName: string): LedgerStore {
  return {
    async putIfAbsent(row) {
      const admittedAt = Date.parse(row.admitted_at);
      const key = keys.ledger(row.tenant_id, hourOf(admittedAt), row.request_id);
      try {
        await client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...key, ...row, expires_at: Math.floor(admittedAt / 1000) + lifeSeconds },
            ConditionExpression: "attribute_not_exists(pk)",
          }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },

    async get(tenantId, admittedAt, requestId) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: tableName,
          Key: keys.ledger(tenantId, hourOf(admittedAt), requestId),
          ConsistentRead: true,
        }),
      );
      return Item as LedgerRow | undefined;
    },
  };
}

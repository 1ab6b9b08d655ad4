// Reads the spending of many callers of a tenant at once, as the control plane shows it.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { SpendingReader } from "../../../domain/budget/spending.ts";
import { wholeBatch } from "../batch.ts";
import { keys } from "../schema.ts";
import { spendingOf } from "./spending-expressions.ts";

export function spendingReader(client: DynamoDBDocumentClient, tableName: string): SpendingReader {
  return {
    async of(tenantId, callerIds, month) {
      const keyOf = (callerId: string) => keys.spending(tenantId, callerId, month);
      const item = await wholeBatch(client, tableName, callerIds.map(keyOf));
      return (callerId) => spendingOf(item(keyOf(callerId)));
    },
  };
}

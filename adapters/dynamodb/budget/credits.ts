// Reads a tenant's free credit, for the meter.
import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { CreditReader } from "../../../domain/metering/credit-draw.ts";
import { withRetries } from "../client.ts";
import { keys } from "../schema.ts";
import { creditOf } from "./credit-expressions.ts";

export function creditReader(client: DynamoDBDocumentClient, tableName: string): CreditReader {
  return {
    async get(tenantId) {
      const command = new GetCommand({ TableName: tableName, Key: keys.credit(tenantId), ConsistentRead: true });
      return creditOf((await withRetries(() => client.send(command))).Item);
    },
  };
}

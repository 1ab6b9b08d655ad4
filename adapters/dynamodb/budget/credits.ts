// Reads a tenant's free credit, for the meter.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { CreditReader } from "../../../domain/metering/credit-draw.ts";
import { rowsOf } from "../rows.ts";
import { keys } from "../schema.ts";
import { creditOf } from "./credit-expressions.ts";

export function creditReader(client: DynamoDBDocumentClient, tableName: string): CreditReader {
  const rows = rowsOf(client, tableName);
  return { get: async (tenantId) => creditOf(await rows.get(keys.credit(tenantId))) };
}

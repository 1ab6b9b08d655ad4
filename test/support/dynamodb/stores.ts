// The control plane's stores over an embedded DynamoDB.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { hashApiKey } from "../../../adapters/bcrypt.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { tenantRows } from "../../../adapters/dynamodb/workspace/tenants.ts";
import { controlStores } from "../../../handlers/control/stores.ts";
import { openLocalTable, twoIndexes } from "./dynamodb.ts";

export const tableName = "main";

/** @param maxOwned workspaces of an owner */
export async function openStores(maxOwned = 100) {
  const db = await openLocalTable({ inputs: twoIndexes });
  const { document } = db;
  const clock = () => db.clock.now();
  const storesOver = (client: DynamoDBDocumentClient) => {
    const rows = rowsOf(client, tableName);
    return {
      ...controlStores(rows, clock),
      tenantEffects: (clientId: string) => tenantRows(rows, { clientId, clock, maxOwned }),
      hashApiKey,
    };
  };
  return { db, document, clock, storesOver, stores: storesOver(document), close: () => db.close() };
}

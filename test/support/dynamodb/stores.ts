// The control plane's stores over an embedded DynamoDB.
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
  const rows = rowsOf(document, tableName);
  const clock = () => db.clock.now();
  return {
    db,
    document,
    clock,
    stores: {
      ...controlStores(rows, clock),
      tenantEffects: (clientId: string) => tenantRows(rows, { clientId, clock, maxOwned }),
      hashApiKey,
    },
    close: () => db.close(),
  };
}

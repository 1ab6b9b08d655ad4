// An embedded DynamoDB with the product's table, for a document client in this process.
import { openTable, type TableOptions, tableInputs } from "../../../emulators/test/support/dynamodb.ts";
import { inProcessClient } from "./in-process-client.ts";

/** The inputs of a table that has the index of active callers too. */
export const twoIndexes = {
  ...tableInputs,
  attributes: [...tableInputs.attributes, ...["gsi2_pk", "gsi2_sk"].map((name) => ({ name, type: "S" }))],
  globalSecondaryIndexes: [
    ...tableInputs.globalSecondaryIndexes,
    { name: "gsi2", hashKey: "gsi2_pk", rangeKey: "gsi2_sk", projectionType: "KEYS_ONLY" },
  ],
};

/** Opens DynamoDB with the table `main`. */
export async function openLocalTable(options: TableOptions = {}) {
  const table = await openTable(options);
  return { ...table, document: inProcessClient(table.call) };
}

export type LocalTable = Awaited<ReturnType<typeof openLocalTable>>;

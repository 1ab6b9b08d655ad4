import { expect, test } from "@jest/globals";
import { reconcileProgress } from "../../../../adapters/dynamodb/provisioning/reconcile-progress.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

test("the round that was finished last is remembered, and where the next one is", async () => {
  const opened = await openStores();
  const progress = reconcileProgress(rowsOf(opened.document, tableName));
  expect(await progress.read()).toEqual({ finishedRound: 0, after: undefined });
  await progress.write({ finishedRound: 0, after: "page-2" });
  expect(await progress.read()).toEqual({ finishedRound: 0, after: "page-2" });
  await progress.write({ finishedRound: 1 });
  expect(await progress.read()).toEqual({ finishedRound: 1, after: undefined });
  await opened.close();
});

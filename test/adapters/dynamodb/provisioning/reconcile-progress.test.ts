import { expect, test } from "@jest/globals";
import { reconcileProgress } from "../../../../adapters/dynamodb/provisioning/reconcile-progress.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

test("the reconciliation's progress is stored: the page on which it continues, and that it has finished", async () => {
  const opened = await openStores();
  const progress = reconcileProgress(rowsOf(opened.document, tableName));
  expect(await progress.read()).toEqual({ isFinished: false, after: undefined });
  await progress.write({ isFinished: false, after: "page-2" });
  expect(await progress.read()).toEqual({ isFinished: false, after: "page-2" });
  await progress.write({ isFinished: true });
  expect(await progress.read()).toEqual({ isFinished: true, after: undefined });
  await opened.close();
});

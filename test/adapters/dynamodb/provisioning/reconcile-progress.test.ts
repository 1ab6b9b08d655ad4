import { expect, test } from "@jest/globals";
import { reconcileProgress } from "../../../../adapters/dynamodb/provisioning/reconcile-progress.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { openStores, tableName } from "../../../support/control-plane.ts";

test("the walk that was finished last is remembered", async () => {
  const opened = await openStores();
  const progress = reconcileProgress(rowsOf(opened.document, tableName));
  expect(await progress.finishedRound()).toBe(0);
  await progress.finish(1);
  expect(await progress.finishedRound()).toBe(1);
  await opened.close();
});

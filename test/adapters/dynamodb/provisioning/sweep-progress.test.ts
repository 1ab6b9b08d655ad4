import { expect, test } from "@jest/globals";
import { sweepProgress } from "../../../../adapters/dynamodb/provisioning/sweep-progress.ts";
import { openStores, tableName } from "../../../support/control-plane.ts";

test("the walk that was finished last is remembered", async () => {
  const opened = await openStores();
  const progress = sweepProgress(opened.document, tableName);
  expect(await progress.walked()).toBe(0);
  await progress.walkIs(1);
  expect(await progress.walked()).toBe(1);
  await opened.close();
});

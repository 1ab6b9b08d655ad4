import { expect, test } from "@jest/globals";
import { surveyStore } from "../../../../adapters/dynamodb/catalog/survey-store.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

test("a survey remembers what it told last", async () => {
  const opened = await openStores();
  const store = surveyStore(rowsOf(opened.document, tableName));
  expect(await store.told()).toEqual([]);
  await store.remember(["a", "b"]);
  await store.remember(["b"]);
  expect(await store.told()).toEqual(["b"]);
  await opened.close();
});

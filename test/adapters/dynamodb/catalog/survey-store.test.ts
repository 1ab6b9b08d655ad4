import { expect, test } from "@jest/globals";
import { surveyStore, takenModelStore } from "../../../../adapters/dynamodb/catalog/survey-store.ts";
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

test("the models that were taken up are read as they were written", async () => {
  const opened = await openStores();
  const store = takenModelStore(rowsOf(opened.document, tableName));
  const model = {
    ...{
      id: "claude-opus-6",
      base_id: "anthropic.claude-opus-6",
      display_name: "Claude Opus 6",
      taken_on: "2026-11-28",
    },
    profiles: { "eu-central-1": { anywhere: "global.anthropic.claude-opus-6" } },
    prices: [{ reach: "global" as const, from: "2026-11-28", usd: ["4", "20", "5", "8", "0.2"] }],
  };
  expect(await store.read()).toEqual([]);
  await store.write([model]);
  expect(await store.read()).toEqual([model]);
  await opened.close();
});

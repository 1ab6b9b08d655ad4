import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { modelEndNoticeRecords } from "../../../../adapters/dynamodb/notices/model-end-notice-records.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { ModelEndNotice, ModelEndNoticeStore } from "../../../../domain/notices/model-end-notice.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

const notice: ModelEndNotice = {
  kind: "model_end",
  tenant_id: "t1",
  ...{ model: "claude-opus-4-5", display_name: "Claude Opus 4.5", at: "host", last_day: "2027-01-22" },
};

let opened: Awaited<ReturnType<typeof openStores>>;
let records: ModelEndNoticeStore;
beforeAll(async () => {
  opened = await openStores();
  records = modelEndNoticeRecords(rowsOf(opened.document, tableName));
});
afterAll(() => opened.close());

test("a notice of a model's end is written by its version, and each place and day has a record of its own", async () => {
  const due = { state: "due", changed_at: 1, version: 1 } as const;
  expect([await records.put(notice, due), await records.put(notice, due)]).toEqual([true, false]);
  expect(await records.get(notice)).toEqual(due);
  for (const other of [{ tenant_id: "t2" }, { at: "vendor" }, { last_day: "2027-01-23" }, { model: "x" }] as const) {
    expect(await records.get({ ...notice, ...other })).toBeUndefined();
  }
});

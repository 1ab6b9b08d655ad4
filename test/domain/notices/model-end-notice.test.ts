import { beforeEach, describe, expect, test } from "@jest/globals";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import { type ModelEndNotice, ModelEndNotices } from "../../../domain/notices/model-end-notice.ts";
import type { MailState } from "../../../domain/notices/notice.ts";
import { aModel } from "../../support/a-model.ts";

let now: number;
let records: Map<string, MailState>;
let queued: ModelEndNotice[];
beforeEach(() => {
  now = Date.parse("2026-11-28T10:00:00Z");
  records = new Map();
  queued = [];
});

const nameOf = ({ tenant_id, model, at, last_day }: ModelEndNotice) => `${tenant_id} ${model} ${at} ${last_day}`;

/** The notices that are queued once a workspace has called the model. */
async function told(changes: { last_day?: string; vendor_last_day?: string }, tenantId = "t1"): Promise<string[]> {
  queued = [];
  const models = [
    aModel("opus-4", { aliases: [], ...changes }),
    aModel("opus-5", { aliases: [], created_at: "2026-02-01T00:00:00Z" }),
  ];
  const notices = new ModelEndNotices({
    endRecords: {
      get: async (notice) => records.get(nameOf(notice)),
      put: async (notice, record) => {
        if ((records.get(nameOf(notice))?.version ?? 0) + 1 !== record.version) return false;
        records.set(nameOf(notice), record);
        return true;
      },
    },
    queue: { send: async (notice) => void queued.push(notice) },
    catalog: parseCatalog({ models }),
    clock: () => now,
  });
  await notices.ofCalled(tenantId, ["opus-4", "unknown"]);
  return queued.map(nameOf);
}

describe("a workspace that called a model is told", () => {
  test.each([
    ["in more than a month", "2026-12-29", 0],
    ["within a month", "2026-12-28", 1],
    ["today", "2026-11-28", 1],
    ["in the past", "2026-11-27", 0],
  ])("a model's end is told to a workspace that called it, if its last day is %s", async (_, last_day, count) => {
    expect(await told({ last_day })).toHaveLength(count);
    expect(await told({ vendor_last_day: last_day })).toHaveLength(count);
  });

  test("the notice of a model's end names the day, the place and the successor", async () => {
    await told({ last_day: "2026-12-10" });
    expect(queued).toEqual([
      {
        kind: "model_end",
        tenant_id: "t1",
        model: "opus-4",
        display_name: "opus-4",
        at: "host",
        last_day: "2026-12-10",
        successor: "opus-5",
      },
    ]);
  });

  test("a model's end is told once for each workspace, place and day, and again when the day changes", async () => {
    expect(await told({ last_day: "2026-12-10" })).toEqual(["t1 opus-4 host 2026-12-10"]);
    expect(await told({ last_day: "2026-12-10" })).toEqual([]);
    expect(await told({})).toEqual([]);
    expect(await told({ last_day: "2026-12-10" }, "t2")).toEqual(["t2 opus-4 host 2026-12-10"]);
    expect(await told({ last_day: "2026-12-20", vendor_last_day: "2026-12-10" })).toEqual([
      "t1 opus-4 host 2026-12-20",
      "t1 opus-4 vendor 2026-12-10",
    ]);
  });

  test("a notice of a model's end whose message was lost is queued again an hour later", async () => {
    await told({ last_day: "2026-12-10" });
    now += 3_600_001;
    expect(await told({ last_day: "2026-12-10" })).toHaveLength(1);
  });
});

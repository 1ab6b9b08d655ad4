import { beforeEach, describe, expect, test } from "@jest/globals";
import type { SQSEvent } from "aws-lambda";
import { type ActiveCaller, nothingSpent } from "../../../domain/budget/spending.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { MeteringJob } from "../../../domain/metering/metering-job.ts";
import { shardCount } from "../../../domain/metering/shard.ts";
import type { ModelEndNotice } from "../../../domain/notices/model-end-notice.ts";
import { meterHandler } from "../../../handlers/meter/handler.ts";
import { MemoryAccounting } from "../../support/accounting/memory-accounting.ts";
import { aRow, MemoryMetering } from "../../support/accounting/memory-metering.ts";
import type { LogLine } from "../../support/control-plane.ts";
import { FakeTime } from "../../support/fake-time.ts";

let lines: LogLine[];
let queued: MeteringJob[];
let walked: MeteringJob[];
/** Breaks queue and store. */
let disturb: (job?: MeteringJob) => void;
let handler: ReturnType<typeof meterHandler>;
let metering: MemoryMetering;
let callers: ActiveCaller[];
let endings: ModelEndNotice[];
let breakNotices: () => void;
beforeEach(() => {
  [lines, queued, walked, callers, endings] = [[], [], [], [], []];
  breakNotices = () => {};
  disturb = () => {};
  const time = new FakeTime("2026-11-21T05:50:00.000Z");
  const accounting = new MemoryAccounting(time.clock);
  metering = new MemoryMetering();
  handler = meterHandler({
    ...accounting,
    ...metering,
    ledger: { get: accounting.ledger.get, hour: metering.ledger.hour },
    activeCallers: {
      async *of(month, shard) {
        disturb({ month, shard });
        walked.push({ month, shard });
        yield callers;
      },
    },
    jobs: {
      async sendAll(jobs) {
        disturb();
        queued.push(...jobs);
      },
    },
    noticing: {
      limits: { of: async () => ({ budget: () => undefined, credit: () => undefined }) },
      records: { many: async () => () => undefined, put: async () => true },
      endRecords: { get: async () => undefined, put: async () => true },
      queue: {
        sendAll: async () => {},
        async send(notice) {
          breakNotices();
          if (notice.kind === "model_end") endings.push(notice);
        },
      },
    },
    catalog: parseCatalog({ models: ending }),
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts, error) => void lines.push({ message, facts, error }),
    },
    clock: time.clock,
  });
});

const ending = catalogData.models.map((model) =>
  model.id === "claude-sonnet-5" ? { ...model, last_day: "2026-12-01" } : model,
);

const schedule = () => handler({ source: "aws.events", "detail-type": "Scheduled Event" });
function work(...jobs: object[]) {
  const Records = jobs.map((job, index) => ({
    messageId: `m${index}`,
    body: JSON.stringify(job),
    attributes: { ApproximateReceiveCount: "1" },
  }));
  return handler({ Records } as SQSEvent);
}

test("the meter's scheduled event only queues the jobs of this month and of the previous one", async () => {
  expect(await schedule()).toBeUndefined();
  expect(queued).toHaveLength(2 * shardCount);
  expect(new Set(queued.map(({ month }) => month))).toEqual(new Set(["2026-10", "2026-11"]));
  expect([walked, lines]).toEqual([[], [{ message: "The scheduled work is done", facts: {} }]]);
});

test("the meter's schedule logs the cause and fails if the jobs cannot be queued", async () => {
  const cause = new Error("the queue is down");
  disturb = () => {
    throw cause;
  };
  await expect(schedule()).rejects.toThrow("the queue is down");
  expect(lines).toEqual([{ message: "The scheduled work failed", facts: {}, error: cause }]);
});

test("a meter job from the queue is carried out", async () => {
  expect(await work({ month: "2026-11", shard: 3 })).toEqual({ batchItemFailures: [] });
  expect(walked).toEqual([{ month: "2026-11", shard: 3 }]);
});

test("a failing meter job returns to the queue, and no other job with it", async () => {
  disturb = (job) => {
    if (job?.shard === 3) throw new Error("the store is down");
  };
  const response = await work({ month: "2026-11", shard: 3 }, { month: "2026-11", shard: 4 });
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "m0" }] });
  expect(lines.map(({ message }) => message)).toEqual(["A message failed"]);
  disturb = () => {};
  expect(await work({ month: "2026-11", shard: 3 })).toEqual({ batchItemFailures: [] });
});

describe("an hour is closed in which models were called", () => {
  beforeEach(() => {
    const [firstAdmittedAt, tat] = [Date.parse("2026-11-21T04:10:00Z"), Date.parse("2026-11-21T04:20:00Z") * 1000];
    const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
    callers = [{ key, firstAdmittedAt, spending: { ...nothingSpent, tat } }];
    metering.put(
      aRow("r1", { admitted_at: "2026-11-21T04:10:00.000Z" }),
      aRow("r2", { admitted_at: "2026-11-21T04:20:00.000Z", model: "claude-opus-5" }),
    );
  });

  test("the end of a model that was called is told with the hour that closes, and no other model's", async () => {
    await work({ month: "2026-11", shard: 3 });
    expect(metering.rollupsOf.has("t1 2026-11-21T04")).toBe(true);
    expect(endings).toMatchObject([{ tenant_id: "t1", model: "claude-sonnet-5", at: "host", last_day: "2026-12-01" }]);
  });

  test("the hour is closed though the end of a model could not be told", async () => {
    breakNotices = () => {
      throw new Error("the queue is down");
    };
    expect(await work({ month: "2026-11", shard: 3 })).toEqual({ batchItemFailures: [] });
    expect(metering.rollupsOf.has("t1 2026-11-21T04")).toBe(true);
    expect(lines.map(({ message }) => message)).toContain("a model's end could not be told");
  });
});

import { beforeEach, expect, test } from "@jest/globals";
import type { SQSEvent } from "aws-lambda";
import catalogData from "#catalog";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import type { MeteringJob } from "../../../domain/metering/metering-job.ts";
import { shardCount } from "../../../domain/metering/shard.ts";
import { meterHandler } from "../../../handlers/meter/handler.ts";
import { MemoryAccounting } from "../../support/accounting/memory-accounting.ts";
import { MemoryMetering } from "../../support/accounting/memory-metering.ts";
import type { LogLine } from "../../support/control-plane.ts";
import { FakeTime } from "../../support/fake-time.ts";

let lines: LogLine[];
let queued: MeteringJob[];
let walked: MeteringJob[];
/** Breaks queue and store. */
let disturb: (job?: MeteringJob) => void;
let handler: ReturnType<typeof meterHandler>;
beforeEach(() => {
  [lines, queued, walked] = [[], [], []];
  disturb = () => {};
  const time = new FakeTime("2026-11-21T05:50:00.000Z");
  const [accounting, metering] = [new MemoryAccounting(time.clock), new MemoryMetering()];
  handler = meterHandler({
    ...accounting,
    ...metering,
    ledger: { get: accounting.ledger.get, hour: metering.ledger.hour },
    activeCallers: {
      async *of(month, shard) {
        disturb({ month, shard });
        walked.push({ month, shard });
        yield [];
      },
    },
    jobs: {
      async sendAll(jobs) {
        disturb();
        queued.push(...jobs);
      },
    },
    catalog: parseCatalog(catalogData),
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts, error) => void lines.push({ message, facts, error }),
    },
    clock: time.clock,
  });
});

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

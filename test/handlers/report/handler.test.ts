import { beforeEach, expect, test } from "@jest/globals";
import type { SQSEvent } from "aws-lambda";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import type { BillingTotals } from "../../../domain/reporting/billing-total.ts";
import { type ReportingJob, reportingJobs } from "../../../domain/reporting/reporting-job.ts";
import type { ReportDependencies } from "../../../handlers/report/handler.ts";
import { reportHandler } from "../../../handlers/report/handler.ts";
import type { LogLine } from "../../support/control-plane.ts";

let lines: LogLine[];
let queued: ReportingJob[];
let read: string[];
/** Breaks the queue, the account's secret, or a tenant. */
let disturb: (what: string) => void;
let handler: ReturnType<typeof reportHandler>;
beforeEach(() => {
  [lines, queued, read] = [[], [], []];
  disturb = () => {};
  handler = reportHandler({
    totals: {
      async *tenants(shard: number) {
        yield* [`${shard}-a`, `${shard}-b`];
      },
      async get(tenantId: string) {
        disturb(tenantId);
        read.push(tenantId);
        return undefined;
      },
    } as Partial<BillingTotals> as BillingTotals,
    payments: async () => {
      disturb("secret");
      return {} as Awaited<ReturnType<ReportDependencies["payments"]>>;
    },
    payer: async () => undefined,
    telemetry: { unbilled: () => {} },
    waited: () => {},
    isDueEarly: async () => false,
    markup: 1,
    jobs: {
      async sendAll(jobs) {
        disturb("queue");
        queued.push(...jobs);
      },
    },
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts, error) => void lines.push({ message, facts, error }),
    },
    newId: () => "run",
    clock: () => 0,
  });
});

const breaks = (name: string, error = new Error("broken")) => {
  disturb = (what) => {
    if (what === name) throw error;
  };
};
function work(...shards: number[]) {
  const Records = shards.map((shard, index) => ({
    messageId: `m${index}`,
    body: JSON.stringify({ shard }),
    attributes: { ApproximateReceiveCount: "1" },
  }));
  return handler({ Records } as SQSEvent);
}
const schedule = () => handler({ source: "aws.events", "detail-type": "Scheduled Event" });

test("the scheduled event of report only queues a job for each shard", async () => {
  expect(await schedule()).toBeUndefined();
  expect(queued).toEqual(reportingJobs);
  expect([read, lines]).toEqual([[], [{ message: "The scheduled work is done", facts: {} }]]);
});

test("the schedule of report logs the cause and fails if the jobs cannot be queued", async () => {
  breaks("queue");
  await expect(schedule()).rejects.toThrow("broken");
  expect(lines.map(({ message }) => message)).toEqual(["The scheduled work failed"]);
});

test("a report job reports the usage of each tenant of its shard", async () => {
  expect(await work(3)).toEqual({ batchItemFailures: [] });
  expect(read).toEqual(["3-a", "3-b"]);
});

test("a report job with a failing tenant returns once all other tenants are done, and no other job with it", async () => {
  breaks("3-a");
  expect(await work(3, 4)).toEqual({ batchItemFailures: [{ itemIdentifier: "m0" }] });
  expect(read.toSorted()).toEqual(["3-b", "4-a", "4-b"]);
  expect(lines.map(({ message, facts }) => [message, facts.tenant_id])).toContainEqual([
    "a tenant's usage could not be reported",
    "3-a",
  ]);
});

test("a payment provider that does not answer leaves the tenant to the next schedule", async () => {
  breaks("3-a", new Refusal("payments_unavailable", "down"));
  expect(await work(3)).toEqual({ batchItemFailures: [] });
});

test("a report job without the account's secret does nothing and returns to the queue", async () => {
  breaks("secret");
  expect(await work(3)).toEqual({ batchItemFailures: [{ itemIdentifier: "m0" }] });
  expect(read).toEqual([]);
});

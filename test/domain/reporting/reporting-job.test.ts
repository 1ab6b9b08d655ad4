import { beforeEach, expect, test } from "@jest/globals";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { shardCount } from "../../../domain/metering/shard.ts";
import { ReportingFailed, reportingJobs, reportShard } from "../../../domain/reporting/reporting-job.ts";

const log = { info: () => {}, problem: () => {} };
const outage = () => new Refusal("payments_unavailable", "down");

let reported: string[];
let problems: Record<string, Error>;
let now = 0;
beforeEach(() => {
  reported = [];
  problems = {};
});

function run(...tenants: string[]) {
  const totals = {
    async *tenants() {
      yield* tenants;
    },
  };
  const reporting = {
    async tenant(tenantId: string) {
      reported.push(tenantId);
      const problem = problems[tenantId];
      if (problem) throw problem;
    },
  };
  return reportShard({ totals, reporting, log, clock: () => now }, { shard: 3 });
}

test("each shard has a reporting job", () => {
  expect(reportingJobs.map(({ shard }) => shard)).toEqual(Array.from({ length: shardCount }, (_, shard) => shard));
});

test("a failure to report one tenant's usage stops no other tenant's, and makes the job fail at its end", async () => {
  problems = { b: new Error("broken") };
  await expect(run("a", "b", "c", "d", "e", "f")).rejects.toBeInstanceOf(ReportingFailed);
  expect(reported.toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("a payment provider that is down does not make the job fail, and is called for only a few tenants", async () => {
  const tenants = Array.from({ length: 100 }, (_, index) => `t${index}`);
  problems = Object.fromEntries(tenants.map((tenant) => [tenant, outage()]));
  await run(...tenants);
  expect(reported.length).toBeLessThan(10);
});

test.each([
  // As many as make the provider count as down, were they not in a row with others; and so many that it does.
  [5, 24],
  [12, 4],
])(
  "%d tenants for which the payment provider never answers leave all others more than %d reports a day",
  async (broken, least) => {
    const tenants = Array.from({ length: 40 }, (_, index) => `t${index}`);
    problems = Object.fromEntries(tenants.slice(0, broken).map((tenant) => [tenant, outage()]));
    const visits = new Map<string, number>();
    // A day.
    for (let quarter = 0; quarter < 96; quarter++) {
      now = quarter * 900_000;
      reported = [];
      await run(...tenants);
      for (const tenant of reported) visits.set(tenant, (visits.get(tenant) ?? 0) + 1);
    }
    for (const tenant of tenants.slice(broken)) expect(visits.get(tenant)).toBeGreaterThan(least);
  },
);

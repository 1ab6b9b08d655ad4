import { beforeEach, expect, test } from "@jest/globals";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { shardCount } from "../../../domain/metering/shard.ts";
import { ReportingFailed, reportingJobs, reportShard } from "../../../domain/reporting/reporting-job.ts";

const log = { info: () => {}, problem: () => {} };
const outage = () => new Refusal("payments_unavailable", "down");

let reported: string[];
let problems: Record<string, Error>;
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
  return reportShard({ totals, reporting, log }, { shard: 3 });
}

test("each shard has a job", () => {
  expect(reportingJobs.map(({ shard }) => shard)).toEqual(Array.from({ length: shardCount }, (_, shard) => shard));
});

test("one tenant's trouble stops nobody else's, and fails the job at its end", async () => {
  problems = { b: new Error("broken") };
  await expect(run("a", "b", "c", "d", "e", "f")).rejects.toBeInstanceOf(ReportingFailed);
  expect(reported.toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("a provider that is down is no failure, and is asked for a few tenants only", async () => {
  const tenants = Array.from({ length: 100 }, (_, index) => `t${index}`);
  problems = Object.fromEntries(tenants.map((tenant) => [tenant, outage()]));
  await run(...tenants);
  expect(reported.length).toBeLessThan(10);
});

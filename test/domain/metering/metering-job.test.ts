import { expect, test } from "@jest/globals";
import { jobsAt, meteringJobSchema } from "../../../domain/metering/metering-job.ts";
import { shardCount } from "../../../domain/metering/shard.ts";

test("the meter has a job for each shard of this month and of the previous month", () => {
  const jobs = jobsAt(Date.parse("2027-01-01T00:00:00Z"));
  expect(jobs).toHaveLength(2 * shardCount);
  expect(new Set(jobs.map(({ month }) => month))).toEqual(new Set(["2026-12", "2027-01"]));
  expect(new Set(jobs.map(({ shard }) => shard)).size).toBe(shardCount);
});

test("a meter job's message has a month and a shard, and other messages are refused", () => {
  for (const job of jobsAt(0)) expect(meteringJobSchema.parse(JSON.parse(JSON.stringify(job)))).toEqual(job);
  for (const wrong of [{}, { month: "2026-11" }, { month: "2026-11", shard: 64 }, { month: "11", shard: 1 }]) {
    expect(meteringJobSchema.safeParse(wrong).success).toBe(false);
  }
});

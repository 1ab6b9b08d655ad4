// Reporting jobs: one for each shard of the accounting, which reports the usage of the shard's tenants.
import pMap from "p-map";
import * as z from "zod";
import type { Log } from "../kernel/log.ts";
import { shardCount } from "../metering/shard.ts";
import type { BillingTotals } from "./billing-total.ts";
import { isOutage, type UsageReporter } from "./usage-reporter.ts";

export const reportingJobSchema = z.object({
  shard: z
    .int()
    .min(0)
    .max(shardCount - 1),
});

export type ReportingJob = z.output<typeof reportingJobSchema>;

export const reportingJobs: ReportingJob[] = Array.from({ length: shardCount }, (_, shard) => ({ shard }));

/** Thrown if the usage of some tenants could not be reported; that of all others is. */
export class ReportingFailed extends Error {
  constructor(shard: number, failures: number) {
    super(`usage of ${failures} of the tenants of shard ${shard} could not be reported`);
  }
}

/** How many tenants are processed at a time. */
const concurrency = 4;
/** After this many tenants in a row without an answer the provider counts as down: each further tenant would wait for its time-out. */
const outageTenants = 5;
/** The schedule's period: each run begins with another tenant, so that those for whom the provider never answers keep nobody else waiting. */
const periodMs = 900_000;

/**
 * Reports the usage of a shard's tenants. One tenant's failure does not stop the others. After some outages in a row the
 * provider counts as down, and the rest is left to the next scheduled run.
 * @throws ReportingFailed at the end, if a tenant failed for another reason than an outage
 */
export async function reportShard(
  deps: {
    totals: Pick<BillingTotals, "tenants">;
    reporting: Pick<UsageReporter, "tenant">;
    log: Log;
    clock: () => number;
  },
  { shard }: ReportingJob,
): Promise<void> {
  const { totals, reporting, log, clock } = deps;
  const counts = { tenants: 0, failures: 0, outages: 0 };
  const tenants: string[] = [];
  for await (const tenantId of totals.tenants(shard)) tenants.push(tenantId);
  const first = Math.floor(clock() / periodMs) % Math.max(1, tenants.length);
  let inARow = 0;
  await pMap(
    [...tenants.slice(first), ...tenants.slice(0, first)],
    async (tenantId) => {
      if (inARow >= outageTenants) return;
      counts.tenants += 1;
      try {
        await reporting.tenant(tenantId);
        inARow = 0;
      } catch (problem) {
        inARow = isOutage(problem) ? inARow + 1 : 0;
        if (isOutage(problem)) counts.outages += 1;
        else counts.failures += 1;
        log.problem("a tenant's usage could not be reported", { tenant_id: tenantId }, problem);
      }
    },
    { concurrency },
  );
  if (counts.tenants > 0) log.info("reporting job", { shard, ...counts });
  if (counts.failures > 0) throw new ReportingFailed(shard, counts.failures);
}

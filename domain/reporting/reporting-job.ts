// Reporting usage is spread over the shards of the accounting: a job for each, which works off its tenants.
import pMap from "p-map";
import * as z from "zod";
import type { Log } from "../kernel/log.ts";
import { shardCount } from "../metering/shard.ts";
import type { UsageOutbox } from "./usage-outbox.ts";
import { isOutage, type UsageReporting } from "./usage-reporting.ts";

export const reportingJobSchema = z.object({
  shard: z
    .int()
    .min(0)
    .max(shardCount - 1),
});

export type ReportingJob = z.output<typeof reportingJobSchema>;

export const reportingJobs: ReportingJob[] = Array.from({ length: shardCount }, (_, shard) => ({ shard }));

/** Some tenants' usage could not be reported; all others' is. */
export class ReportingFailed extends Error {
  constructor(shard: number, failures: number) {
    super(`usage of ${failures} of the tenants of shard ${shard} could not be reported`);
  }
}

/** Tenants at a time. */
const concurrency = 4;
/** So many tenants in vain: the provider is down, and each further one would cost its time-out. */
const outageTenants = 5;

/**
 * One tenant's trouble stops nobody else's. If the provider is down, the rest is left to the next schedule.
 * @throws ReportingFailed once everything is done that could be
 */
export async function reportShard(
  deps: { outbox: Pick<UsageOutbox, "tenants">; reporting: Pick<UsageReporting, "tenant">; log: Log },
  { shard }: ReportingJob,
): Promise<void> {
  const { outbox, reporting, log } = deps;
  const counts = { tenants: 0, failures: 0, outages: 0 };
  await pMap(
    outbox.tenants(shard),
    async (tenantId) => {
      if (counts.outages >= outageTenants) return;
      counts.tenants += 1;
      try {
        await reporting.tenant(tenantId);
      } catch (problem) {
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

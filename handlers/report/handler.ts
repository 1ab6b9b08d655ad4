// Reports usage to the payment provider: its schedule queues a job for each shard of tenants, its queue carries the jobs out.
import type { Log } from "../../domain/kernel/log.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import {
  type ReportingJob,
  reportingJobSchema,
  reportingJobs,
  reportShard,
} from "../../domain/reporting/reporting-job.ts";
import { UsageReporter, type UsageReporterDependencies } from "../../domain/reporting/usage-reporter.ts";
import { scheduledJobs } from "../middleware/scheduled-jobs.ts";

export type ReportDependencies = Omit<UsageReporterDependencies, "payments"> & {
  /** The provider, called with the account's current key. */
  payments: () => Promise<UsageReporterDependencies["payments"]>;
  jobs: Pick<Queue<ReportingJob>, "sendAll">;
  log: Log;
};

export function reportHandler(deps: ReportDependencies) {
  const { totals, jobs, log, clock } = deps;
  return scheduledJobs({
    schedule: () => jobs.sendAll(reportingJobs),
    body: reportingJobSchema,
    work: async (job) => {
      const reporting = new UsageReporter({ ...deps, payments: await deps.payments() });
      await reportShard({ totals, reporting, log, clock }, job);
    },
    log,
  });
}

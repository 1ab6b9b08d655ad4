// Reports usage to the payment provider: its schedule queues a job for each shard of tenants, its queue carries the jobs out.
import { reportingJobSchema, reportingJobs, reportShard } from "../../domain/reporting/reporting-job.ts";
import { UsageReporter } from "../../domain/reporting/usage-reporter.ts";
import { scheduledJobs } from "../middleware/scheduled-jobs.ts";
import type { ReportDependencies } from "./dependencies.ts";

export function reportHandler(deps: ReportDependencies) {
  const { outbox, jobs, log } = deps;
  return scheduledJobs({
    schedule: () => jobs.sendAll(reportingJobs),
    body: reportingJobSchema,
    work: async (job) => {
      const reporting = new UsageReporter({ ...deps, payments: await deps.payments() });
      await reportShard({ outbox, reporting, log }, job);
    },
    log,
  });
}

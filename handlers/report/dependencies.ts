// What reporting usage works with; wiring.ts brings the real ones.

import type { Log } from "../../domain/kernel/log.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import type { ReportingJob } from "../../domain/reporting/reporting-job.ts";
import type { UsageReporterDependencies } from "../../domain/reporting/usage-reporter.ts";

export type ReportDependencies = Omit<UsageReporterDependencies, "payments"> & {
  /** The provider, called with the account's current key. */
  payments: () => Promise<UsageReporterDependencies["payments"]>;
  jobs: Pick<Queue<ReportingJob>, "sendAll">;
  log: Log;
};

// What reporting usage works with; wiring.ts brings the real ones.
import type { ReportingJobQueue } from "../../domain/billing/reporting-job.ts";
import type { UsageReportingDependencies } from "../../domain/billing/usage-reporting.ts";
import type { Log } from "../../domain/log.ts";

export type ReportDependencies = Omit<UsageReportingDependencies, "payments"> & {
  /** The provider, with the account's key of now. */
  payments: () => Promise<UsageReportingDependencies["payments"]>;
  jobs: ReportingJobQueue;
  log: Log;
};

// Reporting usage to the payment provider: a function with a schedule and a queue, and an alarm on usage that is not billed. No other
// function of the accounting reads the provider's secret.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { report } from "../../handlers/report/contract.ts";
import { alarmAbove, reportedMetric } from "../alarm.ts";
import type { StackConfig } from "../config.ts";
import { secretLink, tableLink } from "../link.ts";
import { scheduledJobs } from "../scheduled-jobs.ts";

type ReportingArgs = {
  stripe: NonNullable<StackConfig["stripe"]>;
  /** In nano-USD at list price. */
  trialCap: string;
  table: aws.dynamodb.Table;
};

export class Reporting extends pulumi.ComponentResource {
  constructor(name: string, { stripe, trialCap, table }: ReportingArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Reporting", name, {}, opts);
    const { function: fn } = scheduledJobs(
      name,
      {
        contract: report,
        // Closed hours are reported within this time, and drafts and final invoices are read as often.
        everyMinutes: 15,
        // The provider takes a thousand events a second; a job sends four at a time.
        jobsAtOnce: 4,
        // The schedule queues the same job again anyway: a job that fails this often has a broken tenant.
        maxReceiveCount: 3,
        environment: (jobsUrl) => ({
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "total", "allowance"],
            put: ["audit"],
            update: ["total"],
            activeIndex: ["total"],
          }),
          JOBS_QUEUE_URL: jobsUrl,
          STACK_NAME: pulumi.getStack(),
          STRIPE_SECRET_ARN: secretLink(stripe.secretArn),
          BILLING_MARKUP: String(stripe.markup),
          TRIAL_CAP: trialCap,
        }),
      },
      { parent: this },
    );
    const at = fn.logGroup.name;
    alarmAbove("report-unbilled", { at, metric: reportedMetric("report", "usage_unbilled") }, { parent: this });
    alarmAbove("report-waiting", { at, metric: reportedMetric("report", "unreported_hours") }, { parent: this });
    this.registerOutputs({});
  }
}

// Reporting usage to the payment provider: a function with a schedule and a queue, and an alarm on usage that is not billed. No other
// function of the accounting reads the provider's secret.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { report } from "../../handlers/report/contract.ts";
import type { StackConfig } from "../config.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { secretLink, sendLink, tableLink } from "../link.ts";
import { Queue } from "../queue.ts";
import { Schedule } from "../schedule.ts";
import { unbilledAlarm } from "./unbilled-alarm.ts";

type ReportingArgs = { stripe: NonNullable<StackConfig["stripe"]>; table: aws.dynamodb.Table };

/** Closed hours are reported within this time, and reports in doubt are looked up as often. */
const schedule = "rate(15 minutes)";
/** The provider takes a thousand events a second; a job sends four at a time. */
const jobsAtOnce = 4;
/** The schedule queues the same job again anyway: a job that fails this often has a broken tenant. */
const jobReceiveCount = 3;

const description = "Usage is not billed as it should be: the metric's log line says whose, and why";

export class Reporting extends pulumi.ComponentResource {
  readonly report: LambdaFunction<typeof report>;

  constructor(name: string, args: ReportingArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Reporting", name, {}, opts);
    this.report = this.createReport(name, args);
    new Schedule(name, { function: this.report.function, expression: schedule }, { parent: this });
    unbilledAlarm(name, { service: "report", description }, { parent: this });
    this.registerOutputs({});
  }

  private createReport(name: string, { stripe, table }: ReportingArgs): LambdaFunction<typeof report> {
    const jobs = new Queue(
      `${name}-jobs`,
      { consumer: report, batchSize: 1, maxConcurrency: jobsAtOnce, maxReceiveCount: jobReceiveCount },
      { parent: this },
    );
    return new LambdaFunction(
      name,
      {
        contract: report,
        consumes: jobs,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "report", "meterProgress"],
            batchGet: ["report", "spending"],
            query: ["carry"],
            put: ["carry"],
            update: ["report", "remainder"],
            delete: ["carry"],
            activeIndex: ["unbilled", "activeCaller"],
          }),
          JOBS_QUEUE_URL: sendLink(jobs.queue),
          STACK_NAME: pulumi.getStack(),
          STRIPE_SECRET_ARN: secretLink(stripe.secretArn),
          BILLING_MARKUP: String(stripe.markup),
        },
      },
      { parent: this },
    );
  }
}

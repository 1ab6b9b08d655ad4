// The accounting behind the proxy: the meter with its schedule and its queue, and the function that settles calls that the proxy could
// not.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { countedAttributes } from "../../adapters/dynamodb/budget/allowance.record.ts";
import { creditAttributes } from "../../adapters/dynamodb/budget/credit.record.ts";
import { meteredAttributes } from "../../adapters/dynamodb/reporting/total.record.ts";
import { markAttributes } from "../../adapters/dynamodb/workspace/tenant.record.ts";
import { unexplainedMessage } from "../../domain/budget/unexplained.ts";
import { meter } from "../../handlers/meter/contract.ts";
import { settle } from "../../handlers/settle/contract.ts";
import { alarmAbove, countedLines } from "../alarm.ts";
import type { StackConfig } from "../config.ts";
import { LambdaFunction, lambdaRole } from "../lambda-function.ts";
import { sendLink, tableLink } from "../link.ts";
import { takenUp, takesUp } from "../proxy/survey.ts";
import { Queue } from "../queue.ts";
import { scheduledJobs } from "../scheduled-jobs.ts";
import { invocationLogLinks } from "./invocation-log.ts";
import type { Notices } from "./notices.ts";
import { trialCapAtListPrice } from "./trust-terms.ts";

type MeteringArgs = {
  config: StackConfig;
  table: aws.dynamodb.Table;
  /** Undefined where the platform sends no mails. */
  notices: Notices | undefined;
};

/** A message comes back every three minutes (components/queue.ts), so it outlasts an outage of ten hours. */
const unsettledReceiveCount = 200;

/** The records that notices are decided by: callers' limits, notices that were mailed, and the free credit. */
const ofNotices = ["grant", "activeKeys", "credit", "notice"] as const;

export class Metering extends pulumi.ComponentResource {
  /** The calls that the proxy could not settle. */
  readonly unsettled: Queue;

  constructor(name: string, args: MeteringArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Metering", name, {}, opts);
    this.createMeter(name, args);
    const limits = { consumer: settle, maxReceiveCount: unsettledReceiveCount };
    this.unsettled = new Queue("unsettled", limits, { parent: this });
    this.createSettle(args);
    this.registerOutputs({});
  }

  private createMeter(name: string, { config, table, notices }: MeteringArgs): void {
    const { invocationLogs } = config;
    // The role is made before the function, because the trust of the log's role names it.
    const role = lambdaRole(name, { parent: this });
    const { function: fn } = scheduledJobs(
      name,
      {
        contract: meter,
        role,
        catalogFile: config.catalog,
        // The interval bounds how late an hour is closed, and how long the reservation of a caller that stays away is kept.
        everyMinutes: 15,
        // Each job goes through its tenants a few at a time; more jobs would only meet the same store.
        jobsAtOnce: 4,
        // The schedule queues the same job again anyway: a job that fails this often has a broken tenant.
        maxReceiveCount: 3,
        environment: (jobsUrl) => ({
          TABLE_NAME: tableLink(table, {
            get: [
              ...([
                "tenant",
                "spending",
                "credit",
                "allowance",
                "ledger",
                "adjustment",
                "meterProgress",
                "report",
              ] as const),
              ...(notices ? (["notice"] as const) : []),
              ...takenUp(config),
            ],
            batchGet: ["spending", ...(notices ? ofNotices : [])],
            query: ["ledger"],
            put: [
              ...(["ledger", "rollup", "meterProgress"] as const),
              ...(notices ? (["notice"] as const) : []),
              ...(invocationLogs ? (["adjustment"] as const) : []),
            ],
            condition: ["tenant", ...(invocationLogs ? (["report"] as const) : [])],
            update: ["spending", "report"],
            updateOnly: {
              tenant: markAttributes,
              credit: creditAttributes,
              allowance: countedAttributes,
              total: meteredAttributes,
            },
            delete: ["adjustment"],
            activeIndex: ["spending", "adjustment"],
          }),
          JOBS_QUEUE_URL: jobsUrl,
          NEW_MODELS: takesUp(config),
          ...(config.stripe && { TRIAL_CAP: trialCapAtListPrice(config) }),
          FREE_CREDIT: config.stripe ? ("true" as const) : ("false" as const),
          ...invocationLogLinks({ config, callerRole: role }, { parent: this }),
          ...(notices && { NOTICES_QUEUE_URL: sendLink(notices.due.queue) }),
        }),
      },
      { parent: this },
    );
    this.createUnexplainedAlarm(name, fn);
  }

  /** Rings while the model host may have billed more than anybody pays: the log names the workspace. */
  private createUnexplainedAlarm(name: string, { logGroup }: LambdaFunction<typeof meter>): void {
    const metric = countedLines(`${name}-unexplained`, { logGroup, text: unexplainedMessage }, { parent: this });
    alarmAbove("meter-unexplained", { at: logGroup.name, metric }, { parent: this });
  }

  private createSettle({ config, table }: MeteringArgs): void {
    new LambdaFunction(
      "settle",
      {
        contract: settle,
        catalogFile: config.catalog,
        consumes: this.unsettled,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["spending", "credit", "ledger", ...takenUp(config)],
            put: ["ledger", "adjustment"],
            update: ["spending"],
            updateOnly: { credit: creditAttributes },
            condition: ["report"],
          }),
          NEW_MODELS: takesUp(config),
          DEAD_LETTERS_URL: sendLink(this.unsettled.deadLetters),
        },
      },
      { parent: this },
    );
  }
}

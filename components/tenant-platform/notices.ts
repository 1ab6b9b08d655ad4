// Mails about limits and payments: the meter and who hears of payments queue a notice, and one function, which alone knows addresses, mails it.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { notify } from "../../handlers/notify/contract.ts";
import type { StackConfig } from "../config.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { tableLink } from "../link.ts";
import { Queue } from "../queue.ts";
import { mailEnvironment } from "./mail.ts";

type NoticesArgs = { config: StackConfig; table: aws.dynamodb.Table };

/** Batches of ten: SES takes 14 mails a second once it is out of its sandbox, unless more was asked for. */
const batchesAtOnce = 2;

export class Notices extends pulumi.ComponentResource {
  readonly due: Queue;
  readonly notify: LambdaFunction<typeof notify>;

  constructor(name: string, { config, table }: NoticesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Notices", name, {}, opts);
    this.due = new Queue(name, { consumer: notify, maxConcurrency: batchesAtOnce }, { parent: this });
    this.notify = new LambdaFunction(
      "notify",
      {
        contract: notify,
        consumes: this.due,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "notice"],
            query: ["user"],
            put: ["notice"],
          }),
          API_URL: `https://api.${config.domain}`,
          ...mailEnvironment(config),
        },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

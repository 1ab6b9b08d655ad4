// The purge: a function that starts daily, and on demand by its queue. It alone may remove a tenant's rows.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { purge } from "../../handlers/purge/contract.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { sendLink, tableLink } from "../link.ts";
import { Queue } from "../queue.ts";
import { Schedule } from "../schedule.ts";
import type { AskedFunctionLinks } from "./asked-functions.ts";

type PurgeArgs = { table: aws.dynamodb.Table; askedFunctions: AskedFunctionLinks };

const schedule = "rate(1 day)";
/** Tenants that are purged at once. */
const jobsAtOnce = 2;

export class Purge extends pulumi.ComponentResource {
  readonly purge: LambdaFunction<typeof purge>;
  readonly jobs: Queue;

  constructor(name: string, args: PurgeArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Purge", name, {}, opts);
    this.jobs = new Queue(
      `${name}-jobs`,
      { consumer: purge, batchSize: 1, maxConcurrency: jobsAtOnce },
      { parent: this },
    );
    this.purge = this.createPurge(name, args);
    new Schedule(name, { function: this.purge.function, expression: schedule }, { parent: this });
    this.registerOutputs({});
  }

  private createPurge(name: string, { table, askedFunctions }: PurgeArgs): LambdaFunction<typeof purge> {
    const accounting = ["ledger", "rollup", "report", "carry"] as const;
    const partitions = ["user", "grant", "activeKeys", "manifest", "audit", "notice", ...accounting] as const;
    const ofKeys = ["apiKey", "lastUse", "serviceAccounts"] as const;
    const rows = ["tenant", "slugReservation", "credit", "spending", ...ofKeys] as const;
    return new LambdaFunction(
      name,
      {
        contract: purge,
        consumes: this.jobs,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["tenant"],
            query: partitions,
            put: ["audit"],
            update: ["ownedTenants"],
            delete: [...partitions, ...rows, "remainder", "meterProgress", "directory", "ownedTenants"],
            index: ["tenant", "status"],
            activeIndex: ["activeCaller"],
          }),
          ...askedFunctions,
          JOBS_QUEUE_URL: sendLink(this.jobs.queue),
        },
      },
      { parent: this },
    );
  }
}

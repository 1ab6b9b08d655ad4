// The reconciliation: a function whose hourly schedule finds what is incomplete, and whose queue has it completed. The control plane
// queues creations that were cut off, and deletions.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { reconcile } from "../../handlers/reconcile/contract.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { sendLink, tableLink } from "../link.ts";
import { Queue } from "../queue.ts";
import { Schedule } from "../schedule.ts";
import type { AskedFunctionLinks } from "./asked-functions.ts";

type ReconcileArgs = { table: aws.dynamodb.Table; askedFunctions: AskedFunctionLinks };

/** Tenants at once: KMS makes 5 keys a second at the most (docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html). */
const jobsAtOnce = 2;

export class Reconcile extends pulumi.ComponentResource {
  readonly jobs: Queue;

  constructor(name: string, args: ReconcileArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Reconcile", name, {}, opts);
    this.jobs = new Queue(
      `${name}-jobs`,
      { consumer: reconcile, batchSize: 1, maxConcurrency: jobsAtOnce },
      { parent: this },
    );
    const fn = this.createReconcile(name, args);
    new Schedule(name, { function: fn.function, expression: "rate(1 hour)" }, { parent: this });
    this.registerOutputs({});
  }

  private createReconcile(name: string, { table, askedFunctions }: ReconcileArgs): LambdaFunction<typeof reconcile> {
    return new LambdaFunction(
      name,
      {
        contract: reconcile,
        consumes: this.jobs,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "manifest"],
            query: ["user"],
            put: ["credit", "user", "manifest", "directory", "audit"],
            update: ["tenant", "directory", "ownedTenants", "user"],
            delete: ["grant"],
            condition: ["tenant"],
            activeIndex: ["unchecked"],
          }),
          JOBS_QUEUE_URL: sendLink(this.jobs.queue),
          ...askedFunctions,
        },
      },
      { parent: this },
    );
  }
}

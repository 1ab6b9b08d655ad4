// The reconciliation: a function whose hourly schedule finds what is incomplete, and whose queue has it completed. The control plane
// queues creations that were cut off, and deletions.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { reconcile } from "../../handlers/reconcile/contract.ts";
import { tableLink } from "../link.ts";
import type { Queue } from "../queue.ts";
import { scheduledJobs } from "../scheduled-jobs.ts";
import type { AskedFunctionLinks } from "./asked-functions.ts";
import { ceilingAlarm, type FreeGrantsVariable } from "./free-grants.ts";

type ReconcileArgs = {
  table: aws.dynamodb.Table;
  askedFunctions: AskedFunctionLinks;
  /** The ceiling of free credit, as a variable. */
  freeGrants: FreeGrantsVariable;
};

export class Reconcile extends pulumi.ComponentResource {
  readonly jobs: Queue;

  constructor(
    name: string,
    { table, askedFunctions, freeGrants }: ReconcileArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("archway:index:Reconcile", name, {}, opts);
    const { jobs, function: fn } = scheduledJobs(
      name,
      {
        contract: reconcile,
        everyMinutes: 60,
        // KMS makes 5 keys a second at the most (docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html).
        jobsAtOnce: 2,
        environment: (jobsUrl) => ({
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "manifest"],
            update: ["given"],
            query: ["user"],
            put: ["credit", "user", "manifest", "audit"],
            updateOnly: {
              tenant: ["pk", "sk", "setup_pending"],
              directory: ["pk", "sk", "gsi2_pk", "gsi2_sk"],
              // An invitation that expired.
              user: ["pk", "sk", "status", "invited_at", "removed_at"],
            },
            delete: ["grant"],
            activeIndex: ["directory", "customer"],
          }),
          JOBS_QUEUE_URL: jobsUrl,
          ...askedFunctions,
          ...freeGrants,
        }),
      },
      { parent: this },
    );
    ceilingAlarm(name, fn, { parent: this });
    this.jobs = jobs;
    this.registerOutputs({});
  }
}

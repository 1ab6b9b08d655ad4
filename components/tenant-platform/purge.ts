// The purge: a function that starts hourly, and on demand by its queue. It alone may remove a tenant's rows.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { records } from "../../adapters/dynamodb/records.ts";
import { purgeRights } from "../../adapters/dynamodb/removal.ts";
import { purge } from "../../handlers/purge/contract.ts";
import { type Link, tableLink } from "../link.ts";
import type { Queue } from "../queue.ts";
import { scheduledJobs } from "../scheduled-jobs.ts";
import type { AskedFunctionLinks } from "./asked-functions.ts";

type PurgeArgs = { table: aws.dynamodb.Table; askedFunctions: AskedFunctionLinks; agentCore: Link; skillObjects: Link };

const gone = purgeRights(records);

export class Purge extends pulumi.ComponentResource {
  readonly jobs: Queue;

  constructor(
    name: string,
    { table, askedFunctions, agentCore, skillObjects }: PurgeArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("archway:index:Purge", name, {}, opts);
    const { jobs } = scheduledJobs(
      name,
      {
        contract: purge,
        // How long a purge that was asked for waits at most between two looks at whether all its usage is billed.
        everyMinutes: 60,
        jobsAtOnce: 2,
        environment: (jobsUrl) => ({
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "ownedTenants"],
            query: gone.query,
            put: ["audit"],
            update: ["ownedTenants"],
            delete: gone.delete,
            index: [...gone.index, "directory"],
            activeIndex: gone.activeIndex,
          }),
          ...askedFunctions,
          AGENTCORE_ARN: agentCore,
          SKILLS_BUCKET: skillObjects,
          JOBS_QUEUE_URL: jobsUrl,
        }),
      },
      { parent: this },
    );
    this.jobs = jobs;
    this.registerOutputs({});
  }
}

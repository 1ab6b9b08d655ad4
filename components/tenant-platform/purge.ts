// The purge: a function that starts hourly, and on demand by its queue. It alone may remove a tenant's rows.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { purge } from "../../handlers/purge/contract.ts";
import { type Link, tableLink } from "../link.ts";
import type { Queue } from "../queue.ts";
import { scheduledJobs } from "../scheduled-jobs.ts";
import type { AskedFunctionLinks } from "./asked-functions.ts";

type PurgeArgs = { table: aws.dynamodb.Table; askedFunctions: AskedFunctionLinks; agentCore: Link; skillObjects: Link };

const accounting = ["ledger", "rollup", "report", "adjustment"] as const;
const skills = [
  "skill",
  "skillVersion",
  "skillEnvironment",
  "skillApproval",
  "skillSecret",
  "skillRun",
  "skillUse",
] as const;
const partitions = [
  "user",
  "grant",
  "activeKeys",
  "manifest",
  "notice",
  "mcpServer",
  ...accounting,
  ...skills,
] as const;
const ofKeys = ["apiKey", "lastUse", "serviceAccounts"] as const;
const rows = ["tenant", "slugReservation", "credit", "spending", ...ofKeys] as const;

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
            query: partitions,
            put: ["audit"],
            update: ["ownedTenants"],
            delete: [...partitions, ...rows, "total", "meterProgress", "directory", "ownedTenants"],
            index: ["tenant", "status"],
            activeIndex: ["activeCaller"],
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

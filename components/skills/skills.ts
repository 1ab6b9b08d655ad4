// Skills: the bucket with what they hold, the queue of their runs, and the function that alone carries runs out.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { runner } from "../../handlers/runner/contract.ts";
import { LambdaFunction, lambdaRole } from "../lambda-function.ts";
import { tableLink } from "../link.ts";
import { Queue } from "../queue.ts";
import { Interpreters } from "./interpreters.ts";
import { SkillBucket } from "./skill-bucket.ts";

type SkillsArgs = { table: aws.dynamodb.Table };

/** Runs at once, of all workspaces: each has an instance for as long as its script takes. */
const runsAtOnce = 50;

export class Skills extends pulumi.ComponentResource {
  readonly bucket: SkillBucket;
  /** The role of the function `runner`. It is made before the function, because the policy of the tenants' keys names it. */
  readonly runnerRole: aws.iam.Role;
  readonly runJobs: Queue;
  readonly runner: LambdaFunction<typeof runner>;

  constructor(name: string, { table }: SkillsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Skills", name, {}, opts);
    this.bucket = new SkillBucket("skills", { parent: this });
    this.runnerRole = lambdaRole("runner", { parent: this });
    this.runJobs = new Queue("runs", { consumer: runner, batchSize: 1, maxConcurrency: runsAtOnce }, { parent: this });
    const interpreters = new Interpreters("skills", { parent: this });
    this.runner = new LambdaFunction(
      "runner",
      {
        contract: runner,
        role: this.runnerRole,
        consumes: this.runJobs,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["skill", "skillVersion", "skillEnvironment", "skillApproval", "skillSecret", "skillRun", "skillUse"],
            put: ["skillRun", "skillUse"],
          }),
          STACK_NAME: pulumi.getStack(),
          SKILLS_BUCKET: this.bucket.running,
          SANDBOX_INTERPRETER: interpreters.sessions("none"),
          INTERNET_INTERPRETER: interpreters.sessions("internet"),
        },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

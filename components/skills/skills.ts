// Skills: the bucket with what they hold, and the role of the function that runs them.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { lambdaRole } from "../lambda-function.ts";
import { SkillBucket } from "./skill-bucket.ts";

export class Skills extends pulumi.ComponentResource {
  readonly bucket: SkillBucket;
  /** Made before its function, because the policy of the tenants' keys names it. */
  readonly runnerRole: aws.iam.Role;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Skills", name, {}, opts);
    this.bucket = new SkillBucket("skills", { parent: this });
    this.runnerRole = lambdaRole("runner", { parent: this });
    this.registerOutputs({});
  }
}

// A role in the account that has the models, for one role of the platform, with sessions that have no tags.
import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../config.ts";
import { policyDocument, type Statement } from "../link.ts";
import { modelHostProvider, nameIn } from "./model-host.ts";
import { trust } from "./trust.ts";

type AccountRoleArgs = {
  config: StackConfig;
  /** The role of the function that assumes it. */
  callerRole: aws.iam.Role;
  statements: Statement[];
};

export function accountRole(
  name: string,
  { config, callerRole, statements }: AccountRoleArgs,
  opts: { parent: pulumi.Resource },
): aws.iam.Role {
  const { accountId } = aws.getCallerIdentityOutput({}, opts);
  const placed = nameIn(name, config);
  const provider = config.modelHost && modelHostProvider(placed, config.modelHost, opts);
  const within = { ...opts, ...(provider && { provider }) };
  const role = new aws.iam.Role(
    placed,
    { assumeRolePolicy: trust(accountId, callerRole, { actions: "sts:AssumeRole" }) },
    within,
  );
  // A managed policy, as the models' rights are: who deploys there need not write inline ones.
  const { arn: policyArn } = new aws.iam.Policy(placed, { policy: policyDocument(statements) }, within);
  new aws.iam.RolePolicyAttachment(placed, { role: role.name, policyArn }, within);
  return role;
}

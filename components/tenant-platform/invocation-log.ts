// The log of the model host's invocations: the right to search it, in the platform's account or by a role of the account that has the models.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../config.ts";
import { assumeLink, Link, policyDocument, type Statement } from "../link.ts";
import { modelHostProvider } from "../proxy/model-host.ts";

type InvocationLogArgs = {
  config: StackConfig;
  /** The role of the function that searches. */
  callerRole: aws.iam.Role;
};

type InvocationLogLinks = { INVOCATION_LOG_GROUP?: Link; INVOCATION_LOG_ROLE_ARN?: Link };

/** The variables of the function that searches; none where invocations are not logged. */
export function invocationLogLinks(
  { config, callerRole }: InvocationLogArgs,
  opts: { parent: pulumi.Resource },
): InvocationLogLinks {
  const { invocationLogs, modelHost } = config;
  if (invocationLogs === undefined) return {};
  const { accountId } = aws.getCallerIdentityOutput({}, opts);
  if (!modelHost) return { INVOCATION_LOG_GROUP: new Link(invocationLogs, searching(invocationLogs, accountId)) };

  const name = `invocation-log-${modelHost.account}`;
  const within = { ...opts, provider: modelHostProvider(name, modelHost, opts) };
  const role = new aws.iam.Role(name, { assumeRolePolicy: trust(accountId, callerRole) }, within);
  const policy = policyDocument(searching(invocationLogs, modelHost.account));
  // A managed policy, as the models' rights are: who deploys there need not write inline ones.
  const { arn: policyArn } = new aws.iam.Policy(name, { policy }, within);
  new aws.iam.RolePolicyAttachment(name, { role: role.name, policyArn }, within);
  return { INVOCATION_LOG_GROUP: new Link(invocationLogs, []), INVOCATION_LOG_ROLE_ARN: assumeLink(role.arn) };
}

/** The right to search a log group that has this name in each region, and nothing else. An answer is asked for by its query's id alone. */
function searching(logGroup: string, account: pulumi.Input<string>): Statement[] {
  return [
    {
      actions: ["logs:StartQuery"],
      resources: [pulumi.interpolate`arn:aws:logs:*:${account}:log-group:${logGroup}:*`],
    },
    { actions: ["logs:GetQueryResults", "logs:StopQuery"], resources: ["*"] },
  ];
}

/** The caller's role alone, as a condition and no principal: see the trust of the role that calls models (components/proxy/model-host.ts). */
function trust(platformAccount: pulumi.Output<string>, callerRole: aws.iam.Role): pulumi.Output<string> {
  return pulumi.jsonStringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: pulumi.interpolate`arn:aws:iam::${platformAccount}:root` },
        Action: "sts:AssumeRole",
        Condition: { ArnEquals: { "aws:PrincipalArn": callerRole.arn } },
      },
    ],
  });
}

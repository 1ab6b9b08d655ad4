// The log of the model host's invocations: the right to search it, in the platform's account or by a role of the account that has the models.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../config.ts";
import { assumeLink, Link, type Statement } from "../link.ts";
import { accountRole } from "../proxy/account-role.ts";

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

  const statements = searching(invocationLogs, modelHost.account);
  const role = accountRole("invocation-log", { config, callerRole, statements }, opts);
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

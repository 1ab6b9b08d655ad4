// The principal of a request: a role's session or an AWS service, and the condition keys about it.
import { accountId, accountIn } from "../aws/account.ts";
import type { Principal } from "../aws/service.ts";
import type { Policy } from "./policy.ts";
import type { Role } from "./roles.ts";

export type Context = Record<string, string | string[]>;

export type RequestingPrincipal = {
  /** A session's ARN, or a service such as `lambda.amazonaws.com`. */
  id: string;
  /** The principal in AWS's messages. */
  title: string;
  identityPolicies: Policy[];
  /** The condition keys about this caller, which are the same for each call. */
  context(): Context;
};

const everyCall: Context = {
  // The endpoint stands for AWS's, which is reached by HTTPS.
  "aws:SecureTransport": "true",
  "aws:ViaAWSService": "false",
};

/** The ARN by which AWS names a role's session. */
export function sessionArn(role: { arn: string; name: string }, sessionName: string): string {
  return `arn:aws:sts::${accountIn(role.arn)}:assumed-role/${role.name}/${sessionName}`;
}

/** The session of a role. The session's tags win over the role's own. */
export function session(principal: Principal, role: Role): RequestingPrincipal {
  const id = sessionArn(role, principal.sessionName);
  return {
    id,
    title: `User: ${id}`,
    identityPolicies: role.policies,
    context: () => ({
      ...everyCall,
      "aws:PrincipalArn": role.arn,
      "aws:PrincipalAccount": accountIn(role.arn) ?? accountId,
      "aws:PrincipalType": "AssumedRole",
      "aws:PrincipalIsAWSService": "false",
      "aws:userid": `${role.id}:${principal.sessionName}`,
      ...principalTags({ ...role.tags, ...principal.sessionTags }),
    }),
  };
}

/** An AWS service that acts by itself. It has no policies, so that the resource's policy alone decides. */
export function awsService(name: string): RequestingPrincipal {
  return {
    id: name,
    title: `Service: ${name}`,
    identityPolicies: [],
    context: () => ({ ...everyCall, "aws:PrincipalIsAWSService": "true", "aws:PrincipalServiceName": name }),
  };
}

function principalTags(tags: Record<string, string>): Context {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:PrincipalTag/${key}`, value]));
}

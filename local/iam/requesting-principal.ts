// Who asks: a role's session or an AWS service, and what a request's context says about it.
import { accountId, accountIn } from "../aws/account.ts";
import type { Principal } from "../aws/service.ts";
import type { Policy } from "./policy.ts";
import type { Role } from "./roles.ts";

export type Context = Record<string, string | string[]>;

export type RequestingPrincipal = {
  /** A session's ARN, or a service such as `lambda.amazonaws.com`. */
  id: string;
  /** As AWS's messages name it. */
  title: string;
  identityPolicies: Policy[];
  /** What the context says of this caller, whatever the call. */
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

/** A role's session. Its tags win over the role's own. */
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

/** An AWS service acting by itself. It has no policies; the resource's policy alone decides. */
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

// A link is a value that a function reads together with the rights that the value is useless without.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

/** One IAM statement. Policies are plain JSON with the resources as outputs inside, where AWS alone knows them. */
export type Statement<Text = pulumi.Input<string>> = {
  actions: string[];
  resources: Text[];
  conditions?: Record<string, Record<string, Text | Text[]>>;
};

export class Link {
  readonly value: pulumi.Input<string>;
  readonly allow: Statement[];

  constructor(value: pulumi.Input<string>, allow: Statement[]) {
    this.value = value;
    this.allow = allow;
  }
}

/** A role's ARN, with the right to assume it and to tag the session. */
export function roleLink(roleArn: pulumi.Input<string>): Link {
  return new Link(roleArn, [{ actions: ["sts:AssumeRole", "sts:TagSession"], resources: [roleArn] }]);
}

/** A role's ARN, with the right to assume it, in a session without tags. */
export function assumeLink(roleArn: pulumi.Input<string>): Link {
  return new Link(roleArn, [{ actions: ["sts:AssumeRole"], resources: [roleArn] }]);
}

/** A queue's URL, with the right to send to it alone. */
export function sendLink(queue: aws.sqs.Queue): Link {
  return new Link(queue.url, [{ actions: ["sqs:SendMessage"], resources: [queue.arn] }]);
}

/** A function's ARN, with the right to invoke it. */
export function invokeLink(arn: pulumi.Input<string>): Link {
  return new Link(arn, [{ actions: ["lambda:InvokeFunction"], resources: [arn] }]);
}

/** A secret's ARN, with the right to read it alone. */
export function secretLink(secretArn: string): Link {
  return new Link(secretArn, [{ actions: ["secretsmanager:GetSecretValue"], resources: [secretArn] }]);
}

/** A user pool's id, with the right to list, make, invite, sign out and remove its accounts. */
export function accountsLink(userPool: aws.cognito.UserPool): Link {
  const names = ["AdminGetUser", "AdminCreateUser", "AdminDeleteUser", "AdminUserGlobalSignOut", "ListUsers"];
  const actions = names.map((name) => `cognito-idp:${name}`);
  return new Link(userPool.id, [{ actions, resources: [userPool.arn] }]);
}

/** A policy document as JSON, from statements. */
export function policyDocument(statements: Statement[]): pulumi.Output<string> {
  return pulumi.jsonStringify(policyBody(statements));
}

/** The object that a policy document's JSON is made of. */
export function policyBody(statements: Statement[]): object {
  return {
    Version: "2012-10-17",
    Statement: statements.map((statement) => ({
      Effect: "Allow",
      Action: statement.actions,
      Resource: statement.resources,
      ...(statement.conditions && { Condition: statement.conditions }),
    })),
  };
}

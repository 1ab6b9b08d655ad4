// Builders of the IAM resources that a program declares.
import { accountId } from "../../aws/account.ts";
import type { Principal } from "../../aws/service.ts";
import { type DeclaredResource, Resources } from "../../pulumi/resources.ts";

export type PolicyStatement = Record<string, unknown>;

export const trustsLambda: PolicyStatement = {
  Effect: "Allow",
  Principal: { Service: "lambda.amazonaws.com" },
  Action: "sts:AssumeRole",
};

export function roleArn(name: string, account = accountId): string {
  return `arn:aws:iam::${account}:role/${name}`;
}

export function document(...statements: PolicyStatement[]): string {
  return JSON.stringify({ Version: "2012-10-17", Statement: statements });
}

export function allow(action: string | string[], resource: string | string[], more: PolicyStatement = {}) {
  return { Effect: "Allow", Action: action, Resource: resource, ...more };
}

export function declared(type: string, name: string, inputs: object, outputs: object = {}): DeclaredResource {
  return { type, name, inputs: { ...inputs }, outputs: { ...inputs, ...outputs } };
}

/** A role of `account` that trusts `trust`, with one policy of `statements`. */
export function aRole(
  name: string,
  statements: PolicyStatement[],
  {
    trust = [trustsLambda],
    account = accountId,
    ...inputs
  }: { trust?: PolicyStatement[]; account?: string; [input: string]: unknown } = {},
): DeclaredResource[] {
  const role = declared(
    "aws:iam/role:Role",
    name,
    { assumeRolePolicy: document(...trust), ...inputs },
    { name, arn: roleArn(name, account) },
  );
  const policy = { role: name, policy: document(...statements) };
  return [role, ...(statements.length > 0 ? [declared("aws:iam/rolePolicy:RolePolicy", name, policy)] : [])];
}

export function resources(...lists: DeclaredResource[][]): Resources {
  return new Resources(lists.flat());
}

export function aPrincipal(role: string, more: Partial<Principal> = {}): Principal {
  return { roleArn: roleArn(role), sessionName: "instance-1", sessionTags: {}, ...more };
}

// The roles that the program declares, each with its trust and every policy that reaches it.
import { createHash } from "node:crypto";
import type { DeclaredResource, Resources } from "../pulumi/resources.ts";
import { policy, role, rolePolicy, rolePolicyAttachment } from "../pulumi/services/iam.ts";
import { type Policy, parsePolicy } from "./policy.ts";

export type Role = {
  arn: string;
  name: string;
  /** e.g. `AROA5X...`, as in `aws:userid`. */
  id: string;
  trust: Policy;
  policies: Policy[];
  tags: Record<string, string>;
  /** MaxSessionDuration, in seconds. */
  maxSessionSeconds: number;
};

/**
 * The roles by ARN.
 * @throws Error naming the resource, for a policy that cannot be read and a role or policy that is not declared.
 */
export function rolesOf(resources: Resources): Map<string, Role> {
  const roles = new Map<string, Role>();
  const byName = new Map<string, Role>();
  for (const resource of resources.ofType(role.type)) {
    const found = roleOf(resource);
    roles.set(found.arn, found);
    byName.set(found.name, found);
  }
  const roleFor = (resource: DeclaredResource) => {
    const found = byName.get(resource.inputs.role);
    if (found) return found;
    throw new Error(`${title(resource)}: role ${JSON.stringify(resource.inputs.role)} is not declared`);
  };
  for (const resource of resources.ofType(rolePolicy.type)) {
    roleFor(resource).policies.push(parsePolicy(title(resource), resource.inputs.policy, "identity"));
  }
  const managed = managedPoliciesOf(resources);
  for (const resource of resources.ofType(rolePolicyAttachment.type)) {
    const holder = roleFor(resource);
    const attached = managed.get(resource.inputs.policyArn);
    if (!attached) {
      throw new Error(`${title(resource)}: policy ${JSON.stringify(resource.inputs.policyArn)} is not declared`);
    }
    holder.policies.push(attached);
  }
  return roles;
}

/** The managed policies by ARN. A policy that no role has attached is read too, and gives nobody a right. */
function managedPoliciesOf(resources: Resources): Map<string, Policy> {
  return new Map(
    resources
      .ofType(policy.type)
      .map((resource) => [computed(resource, "arn"), parsePolicy(title(resource), resource.inputs.policy, "identity")]),
  );
}

function roleOf(resource: DeclaredResource): Role {
  const { inputs, outputs } = resource;
  return {
    arn: computed(resource, "arn"),
    name: computed(resource, "name"),
    id:
      outputs.uniqueId ?? `AROA${createHash("sha256").update(resource.name).digest("hex").slice(0, 17).toUpperCase()}`,
    trust: parsePolicy(`${title(resource)} assumeRolePolicy`, inputs.assumeRolePolicy, "trust"),
    policies: [],
    tags: outputs.tags ?? {},
    maxSessionSeconds: inputs.maxSessionDuration ?? 3600,
  };
}

function computed(resource: DeclaredResource, output: string): string {
  const value = resource.outputs[output];
  if (typeof value !== "string") throw new Error(`${title(resource)}: has no output ${output}`);
  return value;
}

/** The resource in messages, e.g. `RolePolicy orders-dev-writer`. */
function title(resource: DeclaredResource): string {
  return `${resource.type.split(":").at(-1)} ${resource.name}`;
}

// The roles that the program declares, each with its trust and every policy that reaches it.
import { createHash } from "node:crypto";
import type { DeclaredResource, Resources } from "../program/resources.ts";
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

const roleType = "aws:iam/role:Role";
const rolePolicyType = "aws:iam/rolePolicy:RolePolicy";
const policyType = "aws:iam/policy:Policy";
const attachmentType = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";

/** Every input whose meaning is carried out or has none here; any other could change a decision and is refused. */
const understoodInputs: Record<string, string[]> = {
  [roleType]: [
    ...["assumeRolePolicy", "inlinePolicies", "maxSessionDuration", "name", "namePrefix", "path", "tags"],
    ...["description", "forceDetachPolicies"],
  ],
  [rolePolicyType]: ["name", "namePrefix", "policy", "role"],
  [policyType]: ["name", "namePrefix", "path", "policy", "description", "tags"],
  [attachmentType]: ["policyArn", "role"],
};

/**
 * The roles by ARN.
 * @throws Error naming the resource, for each IAM type, input or policy that the local stack cannot carry out
 */
export function rolesOf(resources: Resources): Map<string, Role> {
  for (const resource of resources) if (resource.type.startsWith("aws:iam/")) refuseUnknown(resource);
  const roles = new Map<string, Role>();
  const byName = new Map<string, Role>();
  for (const resource of resources.ofType(roleType)) {
    const role = roleOf(resource);
    roles.set(role.arn, role);
    byName.set(role.name, role);
  }
  const roleFor = (resource: DeclaredResource) => {
    const role = byName.get(resource.inputs.role);
    if (!role) throw new Error(`${title(resource)}: role ${JSON.stringify(resource.inputs.role)} is not declared`);
    return role;
  };
  for (const resource of resources.ofType(rolePolicyType)) {
    roleFor(resource).policies.push(parsePolicy(title(resource), resource.inputs.policy, "identity"));
  }
  const managed = managedPoliciesOf(resources);
  for (const resource of resources.ofType(attachmentType)) {
    const role = roleFor(resource);
    const policy = managed.get(resource.inputs.policyArn);
    if (!policy) {
      throw new Error(`${title(resource)}: policy ${JSON.stringify(resource.inputs.policyArn)} is not declared`);
    }
    role.policies.push(policy);
  }
  return roles;
}

/** By ARN. One that is attached to no role is read all the same, and gives nobody a right. */
function managedPoliciesOf(resources: Resources): Map<string, Policy> {
  return new Map(
    resources
      .ofType(policyType)
      .map((resource) => [computed(resource, "arn"), parsePolicy(title(resource), resource.inputs.policy, "identity")]),
  );
}

function refuseUnknown(resource: DeclaredResource): void {
  const understood = understoodInputs[resource.type];
  if (!understood) throw new Error(`${title(resource)}: the local stack does not know the type ${resource.type}`);
  for (const [input, value] of Object.entries(resource.inputs)) {
    const empty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!empty && !understood.includes(input)) {
      throw new Error(`${title(resource)}: the local stack does not carry out the input ${input}`);
    }
  }
}

function roleOf(resource: DeclaredResource): Role {
  const { inputs, outputs } = resource;
  const inline: { name: string; policy: unknown }[] = inputs.inlinePolicies ?? [];
  return {
    arn: computed(resource, "arn"),
    name: computed(resource, "name"),
    id:
      outputs.uniqueId ?? `AROA${createHash("sha256").update(resource.name).digest("hex").slice(0, 17).toUpperCase()}`,
    trust: parsePolicy(`${title(resource)} assumeRolePolicy`, inputs.assumeRolePolicy, "trust"),
    policies: inline.map(({ name, policy }) => parsePolicy(`${title(resource)} ${name}`, policy, "identity")),
    tags: outputs.tags ?? {},
    maxSessionSeconds: inputs.maxSessionDuration ?? 3600,
  };
}

function computed(resource: DeclaredResource, output: string): string {
  const value = resource.outputs[output];
  if (typeof value !== "string") throw new Error(`${title(resource)}: has no output ${output}`);
  return value;
}

/** e.g. `RolePolicy archway-dev-proxy`: the type's last part tells IAM's types apart. */
function title(resource: DeclaredResource): string {
  return `${resource.type.split(":").at(-1)} ${resource.name}`;
}

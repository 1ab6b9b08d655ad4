// IAM: roles, their own policies and those that are attached to them.
import type { Descriptor } from "../descriptor.ts";
import { arnOf, named, physicalName } from "../names.ts";

export const role: Descriptor = {
  type: "aws:iam/role:Role",
  compute: named("iam", "role/", { global: true }),
  inputs: { served: "assumeRolePolicy maxSessionDuration name tags", noEffect: "description forceDetachPolicies" },
};

export const rolePolicy: Descriptor = {
  type: "aws:iam/rolePolicy:RolePolicy",
  compute(logicalName, inputs) {
    const name = physicalName(logicalName, inputs);
    return { id: `${inputs.role}:${name}`, outputs: { name } };
  },
  inputs: { served: "name policy role" },
};

export const policy: Descriptor = {
  type: "aws:iam/policy:Policy",
  compute(logicalName, inputs, _region, account) {
    const name = physicalName(logicalName, inputs);
    const arn = arnOf("iam", "", `policy/${name}`, account);
    return { id: arn, outputs: { name, arn } };
  },
  inputs: { served: "name policy", noEffect: "description tags" },
};

export const rolePolicyAttachment: Descriptor = {
  type: "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
  compute: (name) => ({ id: name, outputs: {} }),
  inputs: { served: "policyArn role" },
};

export const iam = [role, rolePolicy, policy, rolePolicyAttachment];

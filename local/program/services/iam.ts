// IAM: roles, their own policies and those that are attached to them.
import type { Descriptor } from "../descriptor.ts";
import { arnOf, physicalName } from "../names.ts";

const role: Descriptor = {
  type: "aws:iam/role:Role",
  compute(logicalName, inputs, _region, account) {
    const name = physicalName(logicalName, inputs);
    return { id: name, outputs: { name, arn: arnOf("iam", "", `role/${name}`, account) } };
  },
  inputs: "service",
};

const rolePolicy: Descriptor = {
  type: "aws:iam/rolePolicy:RolePolicy",
  compute(logicalName, inputs) {
    const name = physicalName(logicalName, inputs);
    return { id: `${inputs.role}:${name}`, outputs: { name } };
  },
  inputs: "service",
};

const policy: Descriptor = {
  type: "aws:iam/policy:Policy",
  compute(logicalName, inputs, _region, account) {
    const name = physicalName(logicalName, inputs);
    const arn = arnOf("iam", "", `policy/${name}`, account);
    return { id: arn, outputs: { name, arn } };
  },
  inputs: "service",
};

const rolePolicyAttachment: Descriptor = {
  type: "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
  compute: (name) => ({ id: name, outputs: {} }),
  inputs: "service",
};

export const iam = [role, rolePolicy, policy, rolePolicyAttachment];

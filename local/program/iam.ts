// IAM: roles and their policies.
import type { Descriptor } from "./descriptor.ts";
import { arnOf, physicalName } from "./names.ts";

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

export const iam = [role, rolePolicy];

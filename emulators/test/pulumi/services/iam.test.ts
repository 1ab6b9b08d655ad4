import { expect, test } from "@jest/globals";
import { descriptors } from "../../../pulumi/descriptors.ts";

const other = "111111111111";
const created = (type: string, name: string, inputs: object = {}) =>
  descriptors.get(type)?.compute(name, { ...inputs }, "eu-central-1", other);

test("roles and managed policies belong to the account in which they are declared", () => {
  expect(created("aws:iam/role:Role", "host")).toEqual({
    id: "host-local",
    outputs: { name: "host-local", arn: `arn:aws:iam::${other}:role/host-local` },
  });
  const arn = `arn:aws:iam::${other}:policy/host-1-local`;
  expect(created("aws:iam/policy:Policy", "host-1")).toEqual({ id: arn, outputs: { name: "host-1-local", arn } });
});

test("an inline policy is named by its role and its own name, and an attachment has no outputs of its own", () => {
  const inputs = { role: "host-local", policyArn: `arn:aws:iam::${other}:policy/host-1-local` };
  expect(created("aws:iam/rolePolicy:RolePolicy", "host", inputs)?.id).toBe("host-local:host-local");
  expect(created("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "host-1", inputs)?.outputs).toEqual({});
});

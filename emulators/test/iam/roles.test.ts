import { describe, expect, test } from "@jest/globals";
import { rolesOf } from "../../iam/roles.ts";
import type { DeclaredResource } from "../../pulumi/resources.ts";
import { allow, aRole, declared, document, resources, roleArn } from "../support/declared-iam.ts";

const readItems = allow("dynamodb:GetItem", "*");
const policyArn = "arn:aws:iam::000000000000:policy/shared";

function bareRole(inputs: Parameters<typeof aRole>[2]): DeclaredResource {
  return aRole("x", [], inputs)[0] as DeclaredResource;
}

function rolesWith(...more: Parameters<typeof resources>[0]) {
  return rolesOf(resources(aRole("proxy", [readItems]), more));
}

test("a role is found by its name on AWS, not by its logical name", () => {
  const role = bareRole({});
  const physical = {
    ...role,
    name: "proxy",
    outputs: { ...role.outputs, name: "proxy-3f2a", arn: roleArn("proxy-3f2a") },
  };
  const policy = declared("aws:iam/rolePolicy:RolePolicy", "proxy", {
    role: "proxy-3f2a",
    policy: document(readItems),
  });
  const roles = rolesOf(resources([physical, policy]));
  expect(roles.get(roleArn("proxy-3f2a"))?.policies).toHaveLength(1);
});

test("a managed policy counts for the roles that it is attached to, in any order of declaration", () => {
  const attachment = declared("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "a", { role: "proxy", policyArn });
  const policy = declared("aws:iam/policy:Policy", "shared", { policy: document(readItems) }, { arn: policyArn });
  const roles = rolesOf(resources([attachment, policy], aRole("proxy", []), aRole("meter", [])));
  expect(roles.get(roleArn("proxy"))?.policies.map(({ name }) => name)).toEqual(["Policy shared"]);
  expect(roles.get(roleArn("meter"))?.policies).toEqual([]);
});

test("a role keeps its own session limit and tags", () => {
  const roles = rolesOf(resources(aRole("proxy", [], { maxSessionDuration: 7200, tags: { team: "core" } })));
  expect(roles.get(roleArn("proxy"))).toMatchObject({ maxSessionSeconds: 7200, tags: { team: "core" } });
});

describe("a resource that cannot be carried out is refused by name:", () => {
  test.each<[string, DeclaredResource, RegExp]>([
    [
      "a policy for no role",
      declared("aws:iam/rolePolicy:RolePolicy", "p", { role: "nobody", policy: document(readItems) }),
      /RolePolicy p: role "nobody" is not declared/,
    ],
    [
      "an attached policy of AWS's own",
      declared("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "a", {
        role: "proxy",
        policyArn: "arn:aws:iam::aws:policy/AdministratorAccess",
      }),
      /RolePolicyAttachment a: policy "arn:aws:iam::aws:policy\/AdministratorAccess" is not declared/,
    ],
    [
      "an attachment to no role",
      declared("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "a", { role: "nobody", policyArn }),
      /RolePolicyAttachment a: role "nobody" is not declared/,
    ],
    [
      "a managed policy that is not JSON, attached or not",
      declared("aws:iam/policy:Policy", "p", { policy: "{" }, { arn: policyArn }),
      /Policy p: not JSON/,
    ],
    [
      "a policy that is not JSON",
      declared("aws:iam/rolePolicy:RolePolicy", "p", { role: "proxy", policy: "{" }),
      /RolePolicy p: not JSON/,
    ],
    [
      "a policy that is no text",
      declared("aws:iam/rolePolicy:RolePolicy", "p", { role: "proxy", policy: { Version: "2012-10-17" } }),
      /RolePolicy p: a policy must be JSON text/,
    ],
    [
      "a policy with a wrong effect",
      declared("aws:iam/rolePolicy:RolePolicy", "p", {
        role: "proxy",
        policy: document({ ...readItems, Effect: "Alow" }),
      }),
      /RolePolicy p: .*Effect/,
    ],
    ["a trust policy without a principal", bareRole({ trust: [readItems] }), /Role x assumeRolePolicy: .*Principal/],
  ])("%s", (_, resource, message) => {
    expect(() => rolesWith(resource)).toThrow(message);
  });
});

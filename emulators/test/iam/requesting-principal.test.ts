import { describe, expect, test } from "@jest/globals";
import { awsService, session, sessionArn } from "../../iam/requesting-principal.ts";
import { rolesOf } from "../../iam/roles.ts";
import { aPrincipal, aRole, resources, roleArn } from "../support/declared-iam.ts";

const other = "111111111111";
const roles = rolesOf(resources(aRole("proxy", [], { tags: { team: "core" } }), aRole("host", [], { account: other })));

function sessionOf(name: string, account?: string, sessionTags: Record<string, string> = {}) {
  const arn = roleArn(name, account);
  const role = roles.get(arn);
  if (!role) throw new Error(`no role ${arn}`);
  return session(aPrincipal(name, { roleArn: arn, sessionTags }), role);
}

test("a session is named in the account of its role", () => {
  expect(sessionArn({ arn: roleArn("host", other), name: "host" }, "caller")).toBe(
    `arn:aws:sts::${other}:assumed-role/host/caller`,
  );
});

describe("a role's session", () => {
  test("a role's session gives its name and the role's account to each request", () => {
    expect(sessionOf("host", other).context()).toMatchObject({
      "aws:PrincipalArn": roleArn("host", other),
      "aws:PrincipalAccount": other,
      "aws:PrincipalType": "AssumedRole",
      "aws:PrincipalIsAWSService": "false",
      "aws:userid": expect.stringMatching(/^AROA[0-9A-F]{17}:instance-1$/),
    });
    expect(sessionOf("proxy").context()).toMatchObject({ "aws:PrincipalAccount": "000000000000" });
  });

  test("a role's session has the role's tags and its own tags, which take precedence", () => {
    expect(sessionOf("proxy", undefined, { tenant_id: "t1" }).context()).toMatchObject({
      "aws:PrincipalTag/team": "core",
      "aws:PrincipalTag/tenant_id": "t1",
    });
    expect(sessionOf("proxy", undefined, { team: "other" }).context()).toMatchObject({
      "aws:PrincipalTag/team": "other",
    });
  });

  test("messages call a role's session a user, as AWS does", () => {
    expect(sessionOf("host", other).title).toBe(`User: arn:aws:sts::${other}:assumed-role/host/instance-1`);
  });
});

test("a service has no policies and no account", () => {
  const service = awsService("lambda.amazonaws.com");
  expect(service).toMatchObject({ id: "lambda.amazonaws.com", identityPolicies: [] });
  expect(service.context()).toMatchObject({ "aws:PrincipalServiceName": "lambda.amazonaws.com" });
  expect(service.context()).not.toHaveProperty(["aws:PrincipalAccount"]);
});

import { expect, test } from "@jest/globals";
import { stackConfig } from "../../components/config.ts";
import { lambdaRole } from "../../components/lambda-function.ts";
import { ModelHost } from "../../components/model-host.ts";
import { localStackFile, readStackConfig } from "../../local/program/program.ts";
import { declarationsOf } from "../support/pulumi-program.ts";

const elsewhere = await declared();
const { "archway:modelHost": _, ...own } = await readStackConfig(localStackFile);
const atHome = await declared(own);

async function declared(source?: Record<string, string>) {
  const config = stackConfig(source ?? (await readStackConfig(localStackFile)));
  return declarationsOf(() => {
    new ModelHost("host", { config, callerRole: lambdaRole("proxy", {}) });
  });
}

const policyOf = (program: typeof elsewhere) => program.get("aws:iam/rolePolicy:RolePolicy", "host").inputs.policy;

test("the role of another account is made there, by a role there that the deployment assumes", () => {
  const { inputs } = elsewhere.get("pulumi:providers:aws", "host");
  expect(JSON.parse(inputs.assumeRoles)).toEqual([
    { roleArn: "arn:aws:iam::111111111111:role/deployment", sessionName: "archway" },
  ]);
  expect(JSON.parse(inputs.allowedAccountIds)).toEqual(["111111111111"]);
});

test("its rights are on profiles of that account, and its trust is the platform's proxy alone", () => {
  expect(policyOf(elsewhere)).toContain(":111111111111:inference-profile/");
  expect(policyOf(elsewhere)).not.toContain("000000000000");
  const trust = elsewhere.get("aws:iam/role:Role", "host").inputs.assumeRolePolicy;
  expect(trust).toContain('"arn:aws:iam::000000000000:root"');
  expect(trust).toContain('"arn:aws:iam::000000000000:role/proxy-local"');
});

test("without another account the role is the platform's own", () => {
  expect(atHome.ofType("pulumi:providers:aws")).toEqual([]);
  expect(policyOf(atHome)).toContain(":000000000000:inference-profile/");
});

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { lambdaRole } from "../../../components/lambda-function.ts";
import { ModelHost } from "../../../components/proxy/model-host.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { largeCatalog } from "../../support/program/large-catalog.ts";
import { type Declarations, declarationsOf } from "../../support/program/pulumi-program.ts";

const folder = "coverage/model-host";
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const another = JSON.stringify({ account: "333333333333", deploymentRole: "deployment" });
const elsewhere = await declared();
const { "archway:modelHost": _, ...own } = await readStackConfig(localStackFile);
const atHome = await declared(own);

async function declared(source?: Record<string, string>) {
  const config = stackConfig(source ?? (await readStackConfig(localStackFile)));
  return declarationsOf(() => {
    new ModelHost("host", { config, callerRole: lambdaRole("proxy", {}) });
  });
}

const policyOf = (program: typeof elsewhere) => program.ofType("aws:iam/policy:Policy")[0]?.inputs.policy;

test("a model host's role in another account is created there, by a role that the deployment assumes", () => {
  const { inputs } = elsewhere.get("pulumi:providers:aws", "host-111111111111");
  expect(JSON.parse(inputs.assumeRoles)).toEqual([
    { roleArn: "arn:aws:iam::111111111111:role/deployment", sessionName: "archway" },
  ]);
  expect(JSON.parse(inputs.allowedAccountIds)).toEqual(["111111111111"]);
});

test("a model host's role has rights on profiles of its account, and trusts only the platform's proxy", () => {
  expect(policyOf(elsewhere)).toContain(":111111111111:inference-profile/");
  expect(policyOf(elsewhere)).not.toContain("000000000000");
  const trust = elsewhere.get("aws:iam/role:Role", "host-111111111111").inputs.assumeRolePolicy;
  expect(trust).toContain('"arn:aws:iam::000000000000:root"');
  expect(trust).toContain('"arn:aws:iam::000000000000:role/proxy-local"');
});

test("without another account the model host's role is the platform's own", () => {
  expect(atHome.ofType("pulumi:providers:aws")).toEqual([]);
  expect(policyOf(atHome)).toContain(":000000000000:inference-profile/");
});

test("a model host's role has only managed policies", () => {
  expect(elsewhere.ofType("aws:iam/rolePolicy:RolePolicy")).toEqual([]);
  const attached = attachedTo(elsewhere);
  expect(attached).toEqual(
    attached.map((_, place) => {
      const name = `host-111111111111-${place + 1}`;
      return [name, "host-111111111111-local", `arn:aws:iam::111111111111:policy/${name}-local`];
    }),
  );
  expect(attached.length).toBeGreaterThan(0);
});

test("a larger catalog adds policies, and one more model changes no policy's name", async () => {
  const large = await withModels(150);
  const larger = await withModels(151);
  expect(attachedTo(large).map(([name]) => name)).toEqual(
    attachedTo(large).map((_, place) => `host-111111111111-${place + 1}`),
  );
  expect(attachedTo(large).length).toBeGreaterThan(1);
  expect(attachedTo(larger).slice(0, attachedTo(large).length)).toEqual(attachedTo(large));
});

async function withModels(count: number) {
  const file = `${folder}/${count}.json`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(largeCatalog(count)));
  return declared({ ...(await readStackConfig(localStackFile)), "archway:catalog": file });
}

function attachedTo(program: Declarations): [name: string, role: string, policyArn: string][] {
  return program
    .ofType("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    .map(({ name, inputs }) => [name, inputs.role, inputs.policyArn]);
}

test("with another account the model host's role is created again under another name, and nothing is moved", async () => {
  const moved = await declared({ ...(await readStackConfig(localStackFile)), "archway:modelHost": another });
  const types = [
    "pulumi:providers:aws",
    "aws:iam/role:Role",
    "aws:iam/policy:Policy",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
  ];
  const namesOf = (program: typeof elsewhere) =>
    types
      .flatMap((type) => program.ofType(type).map(({ name }) => `${type} ${name}`))
      .filter((name) => name.includes(" host"));
  const all = [elsewhere, atHome, moved].map(namesOf);
  expect(new Set(all.flat()).size).toBe(all.flat().length);
});

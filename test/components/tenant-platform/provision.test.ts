import { expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { Identity } from "../../../components/identity/identity.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { TenantPlatform } from "../../../components/tenant-platform/tenant-platform.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const config = stackConfig(await readStackConfig(localStackFile));
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  const identity = new Identity("identity", { config, table });
  new TenantPlatform("tenant-platform", { config, table, identity });
});
const functionArn = "arn:aws:lambda:eu-central-1:000000000000:function:provision-local";

type Statement = { Action: string[]; Resource: string[] };
const actionsOf = (role: string) => {
  const { policy } = program.get("aws:iam/rolePolicy:RolePolicy", role).inputs;
  return (JSON.parse(policy).Statement as Statement[]).flatMap(({ Action }) => Action);
};
const roles = program.ofType("aws:iam/rolePolicy:RolePolicy").map(({ name }) => name);
const having = (pattern: RegExp) => roles.filter((role) => actionsOf(role).some((action) => pattern.test(action)));

test("it alone manages keys and accounts, and control and the purge alone may ask it", () => {
  // Joining an account needs two actions of the pool, and no other (docs/decisions/0027).
  expect(having(/^(kms|cognito-idp|tag):(?!AdminGetUser$|AdminLinkProviderForUser$)/)).toEqual(["provision"]);
  expect(having(/^lambda:/).toSorted()).toEqual(["purge", "tenant-platform-control"]);
  for (const role of ["purge", "tenant-platform-control"]) {
    const { policy } = program.get("aws:iam/rolePolicy:RolePolicy", role).inputs;
    const invoke = (JSON.parse(policy).Statement as Statement[]).find(({ Action }) => Action[0]?.startsWith("lambda:"));
    expect(invoke).toMatchObject({ Action: ["lambda:InvokeFunction"], Resource: [functionArn] });
  }
});

test("it sweeps every hour", () => {
  const rule = program.get("aws:cloudwatch/eventRule:EventRule", "provision");
  expect(rule.inputs.scheduleExpression).toBe("rate(1 hour)");
  expect(program.get("aws:cloudwatch/eventTarget:EventTarget", "provision").inputs.arn).toBe(functionArn);
});

test("its queue gives it one job at a time, a few at once, and has dead letters", () => {
  expect(program.get("aws:lambda/eventSourceMapping:EventSourceMapping", "provision").inputs).toMatchObject({
    batchSize: 1,
    scalingConfig: { maximumConcurrency: 2 },
  });
  expect(program.get("aws:cloudwatch/metricAlarm:MetricAlarm", "provision-jobs-dead-letters")).toBeDefined();
});

test("a new key's policy names the role of the function that makes it", () => {
  const { variables } = program.get("aws:lambda/function:Function", "provision").inputs.environment;
  expect(JSON.parse(variables.KEY_POLICY).Statement[1].Principal.AWS).toEqual([
    expect.stringContaining(":role/provision"),
  ]);
});

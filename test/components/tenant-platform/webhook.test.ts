import { expect, test } from "@jest/globals";
import * as aws from "@pulumi/aws";
import type { StackConfig } from "../../../components/config.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { Webhook } from "../../../components/tenant-platform/webhook.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const secretArn = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:archway/stripe-AbCdEf";
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  const api = new aws.apigatewayv2.Api("api", { protocolType: "HTTP" });
  const config = { trialCap: 50, firstWeekTimes: 3, firstMonthTimes: 10, originSecret: "x".repeat(32) } as StackConfig;
  new Webhook("webhook", {
    config,
    stripe: { secretArn, markup: 1, tax: "automatic" },
    table,
    api,
    notices: undefined,
  });
});

type Statement = { Action: string[]; Resource: string[]; Condition?: Record<string, Record<string, string[]>> };
const statements: Statement[] = JSON.parse(
  program.get("aws:iam/rolePolicy:RolePolicy", "webhook").inputs.policy,
).Statement;

test("only the webhook's route leads to its function, and only that route may invoke it", () => {
  expect(program.get("aws:apigatewayv2/route:Route", "webhook").inputs.routeKey).toBe("POST /v1/webhooks/stripe");
  expect(program.get("aws:apigatewayv2/integration:Integration", "webhook").inputs.integrationUri).toMatch(
    /:function:webhook-local$/,
  );
  const permission = program.get("aws:lambda/permission:Permission", "webhook").inputs;
  expect(permission.sourceArn).toMatch(/\/\*\/\*\/v1\/webhooks\/stripe$/);
});

test("the webhook reads the account's secret, and nothing else outside the table", () => {
  const outside = statements.filter(({ Action }) => !/^(dynamodb|logs):/.test(Action[0] ?? ""));
  expect(outside).toEqual([{ Effect: "Allow", Action: ["secretsmanager:GetSecretValue"], Resource: [secretArn] }]);
});

test("the webhook's environment says whether tax is wanted", () => {
  // A value of it is secret.
  // One of its variables is secret.
  const { variables } = program.get("aws:lambda/function:Function", "webhook").inputs.environment.secret;
  expect(variables.BILLING_TAX).toBe("automatic");
});

test("unbilled usage that the webhook finds raises an alarm", () => {
  const { metricName, dimensions } = program.get("aws:cloudwatch/metricAlarm:MetricAlarm", "webhook-unbilled").inputs;
  expect([metricName, dimensions]).toEqual(["usage_unbilled", { service: "webhook", stack: "test" }]);
});

test("the webhook can delete nothing, and creates no tenant and no customer", () => {
  const actions = statements.flatMap(({ Action }) => Action);
  expect(actions).not.toContain("dynamodb:DeleteItem");
  const puts = statements.filter(({ Action }) => Action.includes("dynamodb:PutItem"));
  expect(puts.map(({ Condition }) => Condition?.["ForAllValues:StringLike"])).toEqual([
    { "dynamodb:LeadingKeys": ["EVENT#*", "AUDIT#*"] },
  ]);
});

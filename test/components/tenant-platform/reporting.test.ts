import { expect, test } from "@jest/globals";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { Reporting } from "../../../components/tenant-platform/reporting.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const secretArn = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:archway/stripe-AbCdEf";
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  new Reporting("report", { stripe: { secretArn, markup: 1.25, tax: "off" }, trialCap: "50000000000", table });
});
const functionArn = "arn:aws:lambda:eu-central-1:000000000000:function:report-local";
const jobsArn = "arn:aws:sqs:eu-central-1:000000000000:report-jobs-local";

type Statement = { Action: string[]; Resource: string[] };
const statements: Statement[] = JSON.parse(
  program.get("aws:iam/rolePolicy:RolePolicy", "report").inputs.policy,
).Statement;

test("usage is reported every quarter of an hour, and only the schedule may start it", () => {
  const rule = program.get("aws:cloudwatch/eventRule:EventRule", "report").inputs;
  expect(rule).toEqual({ scheduleExpression: "rate(15 minutes)" });
  expect(program.get("aws:lambda/permission:Permission", "report").inputs).toMatchObject({
    principal: "events.amazonaws.com",
    sourceArn: "arn:aws:events:eu-central-1:000000000000:rule/report-local",
  });
});

test("the function report queues its jobs, and handles one job for each invocation, four in parallel", () => {
  const mapping = program.get("aws:lambda/eventSourceMapping:EventSourceMapping", "report").inputs;
  expect(mapping).toMatchObject({
    ...{ eventSourceArn: jobsArn, functionName: functionArn, batchSize: 1 },
    scalingConfig: { maximumConcurrency: 4 },
  });
  expect(statements).toContainEqual({ Effect: "Allow", Action: ["sqs:SendMessage"], Resource: [jobsArn] });
});

test("the function report reads the payment account's secret, and no other", () => {
  const ofSecrets = statements.filter(({ Action }) => Action.join().includes("secretsmanager"));
  expect(ofSecrets).toEqual([{ Effect: "Allow", Action: ["secretsmanager:GetSecretValue"], Resource: [secretArn] }]);
  const { variables } = program.get("aws:lambda/function:Function", "report").inputs.environment;
  expect(variables).toMatchObject({ STRIPE_SECRET_ARN: secretArn, BILLING_MARKUP: "1.25" });
});

test("usage that is not billed raises an alarm, and so does a report job that was given up", () => {
  const alarm = (name: string) => program.get("aws:cloudwatch/metricAlarm:MetricAlarm", name).inputs;
  expect(alarm("report-unbilled")).toMatchObject({
    ...{ namespace: "Archway", metricName: "usage_unbilled", statistic: "Sum", threshold: 0 },
    ...{ dimensions: { service: "report", stack: "test" }, treatMissingData: "notBreaching" },
  });
  expect(alarm("report-jobs-dead-letters").dimensions).toEqual({ QueueName: "report-jobs-dead-letters-local" });
});

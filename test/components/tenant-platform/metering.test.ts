import { describe, expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { Metering } from "../../../components/tenant-platform/metering.ts";
import { Notices } from "../../../components/tenant-platform/notices.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const config = stackConfig(await readStackConfig(localStackFile));
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  const notices = new Notices("notices", { config, table });
  new Metering("meter", { config, table, notices });
});
const meterArn = "arn:aws:lambda:eu-central-1:000000000000:function:meter-local";
const urlOf = (queue: string) => `https://sqs.eu-central-1.amazonaws.com/000000000000/${queue}-local`;
const arnOf = (queue: string) => `arn:aws:sqs:eu-central-1:000000000000:${queue}-local`;
const variablesOf = (name: string) => program.get("aws:lambda/function:Function", name).inputs.environment.variables;
const mappingOf = (name: string) => program.get("aws:lambda/eventSourceMapping:EventSourceMapping", name).inputs;
const queueOf = (name: string) => program.get("aws:sqs/queue:Queue", name).inputs;

function statementsOf(name: string): { Action: string[]; Resource: string[] }[] {
  return JSON.parse(program.get("aws:iam/rolePolicy:RolePolicy", name).inputs.policy).Statement;
}

test("the meter runs every quarter of an hour", () => {
  const rule = program.get("aws:cloudwatch/eventRule:EventRule", "meter").inputs;
  expect(rule).toEqual({ scheduleExpression: "rate(15 minutes)" });
  const target = program.get("aws:cloudwatch/eventTarget:EventTarget", "meter").inputs;
  expect(target).toMatchObject({ rule: "meter-local", arn: meterArn });
});

test("only the meter's schedule may start the meter", () => {
  expect(program.get("aws:lambda/permission:Permission", "meter").inputs).toEqual({
    action: "lambda:InvokeFunction",
    function: "meter-local",
    principal: "events.amazonaws.com",
    sourceArn: "arn:aws:events:eu-central-1:000000000000:rule/meter-local",
  });
});

test("the meter queues its jobs, and handles one job for each invocation, four in parallel", () => {
  expect(variablesOf("meter")).toEqual({
    TABLE_NAME: "archway-local",
    FREE_CREDIT: "true",
    TRIAL_CAP: "50000000000",
    NEW_MODELS: "false",
    JOBS_QUEUE_URL: urlOf("meter-jobs"),
    NOTICES_QUEUE_URL: urlOf("notices"),
  });
  expect(statementsOf("meter")).toContainEqual({
    Effect: "Allow",
    Action: ["sqs:SendMessage"],
    Resource: [arnOf("meter-jobs")],
  });
  expect(mappingOf("meter")).toMatchObject({
    eventSourceArn: arnOf("meter-jobs"),
    functionName: meterArn,
    batchSize: 1,
    scalingConfig: { maximumConcurrency: 4 },
    functionResponseTypes: ["ReportBatchItemFailures"],
  });
});

test("a meter job that fails returns before the schedule has run twice, and becomes a dead letter after three tries", () => {
  const { visibilityTimeoutSeconds, redrivePolicy } = queueOf("meter-jobs");
  expect(visibilityTimeoutSeconds).toBeLessThanOrEqual(15 * 60);
  expect(JSON.parse(redrivePolicy)).toEqual({
    deadLetterTargetArn: arnOf("meter-jobs-dead-letters"),
    maxReceiveCount: 3,
  });
});

describe("usage that could not be settled", () => {
  test("the queue of unsettled usage invokes the function settle, and keeps messages through ten hours without a store", () => {
    expect(mappingOf("settle")).toMatchObject({
      eventSourceArn: arnOf("unsettled"),
      functionName: "arn:aws:lambda:eu-central-1:000000000000:function:settle-local",
      functionResponseTypes: ["ReportBatchItemFailures"],
    });
    const { visibilityTimeoutSeconds, redrivePolicy } = queueOf("unsettled");
    const { maxReceiveCount } = JSON.parse(redrivePolicy);
    expect(visibilityTimeoutSeconds * maxReceiveCount).toBeGreaterThanOrEqual(10 * 3600);
  });

  test("the function settle may send refused usage to the dead letters, but not read them", () => {
    expect(variablesOf("settle")).toEqual({
      TABLE_NAME: "archway-local",
      NEW_MODELS: "false",
      DEAD_LETTERS_URL: urlOf("unsettled-dead-letters"),
    });
    const rights = statementsOf("settle").filter(({ Resource }) => Resource.includes(arnOf("unsettled-dead-letters")));
    expect(rights.map(({ Action }) => Action)).toEqual([["sqs:SendMessage"]]);
  });

  test.each(["unsettled", "meter-jobs"])("usage that was given up raises an alarm: %s", (name) => {
    const alarm = program.get("aws:cloudwatch/metricAlarm:MetricAlarm", `${name}-dead-letters`).inputs;
    expect(alarm.dimensions).toEqual({ QueueName: `${name}-dead-letters-local` });
  });
});

test("the functions meter and settle may read no log", () => {
  const actions = ["meter", "settle"].flatMap((name) => statementsOf(name).flatMap(({ Action }) => Action));
  expect(actions.filter((action) => /^logs:(?!CreateLogStream|PutLogEvents)/.test(action))).toEqual([]);
});

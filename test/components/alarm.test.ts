import { expect, test } from "@jest/globals";
import { stackConfig } from "../../components/config.ts";
import { localStackFile, readStackConfig } from "../../local/program/program.ts";
import { declarationsOf, declaredProgram } from "../support/program/pulumi-program.ts";

const program = await declaredProgram();
const alarms = program.ofType("aws:cloudwatch/metricAlarm:MetricAlarm");
const names = alarms.map(({ name }) => name);
const logicalNames = (type: string) => program.ofType(type).map(({ name }) => name);

test("every alarm of the program notifies one topic, which mails the operator", () => {
  const topic = "arn:aws:sns:eu-central-1:000000000000:alarms-local";
  expect(alarms.length).toBeGreaterThan(40);
  expect(new Set(alarms.map(({ inputs }) => JSON.stringify(inputs.alarmActions)))).toEqual(
    new Set([JSON.stringify([topic])]),
  );
  expect(program.get("aws:sns/topicSubscription:TopicSubscription", "alarms").inputs).toEqual({
    topic,
    protocol: "email",
    endpoint: "operator@archway.example",
  });
});

test("an alarm's description contains its meaning, its first command with the function's name on AWS, and its runbook", () => {
  expect(program.get("aws:cloudwatch/metricAlarm:MetricAlarm", "meter-errors").inputs.alarmDescription).toBe(
    "meter failed, was killed or ran out of time. First: aws logs tail meter-local --since 1h --filter-pattern '?ERROR ?timeout' Then: docs/operations.md#a-function-fails",
  );
  // CloudWatch's longest description.
  for (const { inputs } of alarms) expect(inputs.alarmDescription).toMatch(/^[^<>]{1,1024}$/);
});

test("every function has one alarm for errors and one for throttles", () => {
  const functions = logicalNames("aws:lambda/function:Function");
  expect(names).toEqual(expect.arrayContaining(functions.flatMap((name) => [`${name}-errors`, `${name}-throttles`])));
});

test("every queue has an alarm: dead letter queues for any message, other queues for old messages", () => {
  const queues = logicalNames("aws:sqs/queue:Queue");
  const expected = queues.map((name) => (name.endsWith("-dead-letters") ? name : `${name}-age`));
  expect(names).toEqual(expect.arrayContaining(expected));
});

test("every schedule has an alarm for two periods without a successful run, and a dead letter queue", () => {
  const rules = program.ofType("aws:cloudwatch/eventRule:EventRule");
  expect(rules.map(({ name }) => name)).toEqual([
    "agentcore",
    "tenant-keys",
    "reconcile",
    "purge",
    "meter",
    "report",
    "survey",
  ]);
  for (const { name, inputs } of rules) {
    const [, minutes] = /^rate\((\d+) minutes\)$/.exec(inputs.scheduleExpression) ?? [];
    expect(program.get("aws:cloudwatch/metricAlarm:MetricAlarm", `${name}-silent`).inputs).toMatchObject({
      metricName: `${name}-runs`,
      period: Number(minutes) * 60,
      evaluationPeriods: 2,
      comparisonOperator: "LessThanThreshold",
      threshold: 1,
      treatMissingData: "breaching",
    });
    expect(program.get("aws:cloudwatch/eventTarget:EventTarget", name).inputs.deadLetterConfig).toEqual({
      arn: `arn:aws:sqs:eu-central-1:000000000000:${name}-schedule-dead-letters-local`,
    });
  }
});

test("usage that exists only in the log raises an alarm", () => {
  expect(program.get("aws:cloudwatch/logMetricFilter:LogMetricFilter", "proxy-unsettled").inputs).toMatchObject({
    logGroupName: "proxy-local",
    pattern: '"A request could not be settled"',
  });
  expect(names).toContain("proxy-unsettled");
});

test("an existing topic is notified instead of a new one", async () => {
  const { AlarmTopic, alarmAbove } = await import("../../components/alarm.ts");
  const topicArn = "arn:aws:sns:eu-central-1:111111111111:pager";
  const config = await readStackConfig(localStackFile, { "archway:alarms": JSON.stringify({ topicArn }) });
  const declared = await declarationsOf(() => {
    new AlarmTopic("alarms", stackConfig(config));
    alarmAbove("proxy-unsettled", { metric: { namespace: "AWS/SQS", metricName: "Any" } }, {});
  });
  expect(declared.get("aws:cloudwatch/metricAlarm:MetricAlarm", "proxy-unsettled").inputs.alarmActions).toEqual([
    topicArn,
  ]);
  expect(declared.ofType("aws:sns/topic:Topic")).toEqual([]);
});

test("archway:alarms without an e-mail address or a topic is refused", async () => {
  const config = await readStackConfig(localStackFile, { "archway:alarms": "{}" });
  expect(() => stackConfig(config)).toThrow("archway:alarms: must have email or topicArn");
});

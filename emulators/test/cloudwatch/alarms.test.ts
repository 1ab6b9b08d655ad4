import { beforeEach, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import { Alarms } from "../../cloudwatch/alarms.ts";
import { Metrics } from "../../cloudwatch/metrics.ts";
import { FunctionError } from "../../lambda/instance.ts";
import { Resources } from "../../pulumi/resources.ts";
import type { Queues } from "../../sqs/queues.ts";
import { declared } from "../support/declared-iam.ts";

const above = { comparisonOperator: "GreaterThanThreshold", treatMissingData: "notBreaching", evaluationPeriods: 1 };
const anAlarm = (name: string, inputs: object) =>
  declared("aws:cloudwatch/metricAlarm:MetricAlarm", name, {
    ...{ alarmDescription: name, statistic: "Sum", period: 300, threshold: 0, ...above },
    ...inputs,
  });
const ofFunction = { namespace: "AWS/Lambda", dimensions: { FunctionName: "meter-local" } };
const ofQueue = { namespace: "AWS/SQS", dimensions: { QueueName: "jobs" }, statistic: "Maximum" };

const resources = new Resources([
  declared(
    "aws:lambda/function:Function",
    "meter",
    { loggingConfig: { logGroup: "meter-logs" } },
    { name: "meter-local", arn: "arn:meter" },
  ),
  declared("aws:cloudwatch/logMetricFilter:LogMetricFilter", "runs", {
    logGroupName: "meter-logs",
    pattern: '"is done"',
    metricTransformation: { namespace: "Archway/dev", name: "runs", value: "1" },
  }),
  anAlarm("errors", { ...ofFunction, metricName: "Errors" }),
  anAlarm("throttles", { ...ofFunction, metricName: "Throttles", threshold: 1 }),
  anAlarm("lying", { ...ofQueue, metricName: "ApproximateNumberOfMessagesVisible" }),
  anAlarm("age", { ...ofQueue, metricName: "ApproximateAgeOfOldestMessage", threshold: 3600 }),
  anAlarm("unbilled", { namespace: "Archway", metricName: "usage_unbilled", dimensions: { service: "report" } }),
  anAlarm("silent", {
    ...{ namespace: "Archway/dev", metricName: "runs", period: 900, evaluationPeriods: 2, threshold: 1 },
    ...{ comparisonOperator: "LessThanThreshold", treatMissingData: "breaching" },
  }),
]);

let clock: Clock;
let metrics: Metrics;
let alarms: Alarms;
let messages: { sentAt: number }[];
beforeEach(() => {
  clock = new Clock();
  messages = [];
  metrics = new Metrics(resources, clock);
  const queue = { counts: () => ({ visible: messages.length }), messages: () => messages };
  const queues = { byName: () => queue } as unknown as Queues;
  alarms = new Alarms({ resources, queues, metrics, clock });
});
const minutes = (count: number) => clock.advance(count * 60_000);
const logs = (line: string, name = "meter-local") => metrics.noteLine({ at: clock.now(), function: name, line });

test("no alarm rings right after a stack's start, and a missing run is not yet judged", () => {
  expect(alarms.ringing()).toEqual([]);
  expect(alarms.all().find(({ name }) => name === "silent")).toMatchObject({ state: "INSUFFICIENT_DATA" });
});

test("an error raises an alarm for one period; throttles raise an alarm above their limit", () => {
  metrics.noteFailure("meter-local", new FunctionError("Sandbox.Timedout", ""));
  metrics.noteFailure("meter-local", new FunctionError("TooManyRequestsException", ""));
  metrics.noteFailure("other", new FunctionError("TooManyRequestsException", ""));
  expect(alarms.ringing()).toEqual(["errors"]);
  metrics.noteFailure("meter-local", new FunctionError("TooManyRequestsException", ""));
  expect(alarms.ringing()).toEqual(["errors", "throttles"]);
  minutes(6);
  expect(alarms.ringing()).toEqual([]);
});

test("a message in a dead letter queue raises an alarm, and an old message in a queue", () => {
  messages = [{ sentAt: clock.now() }];
  expect(alarms.ringing()).toEqual(["lying"]);
  clock.advance(3_601_000);
  expect(alarms.ringing()).toEqual(["lying", "age", "silent"]);
});

test("a metric in a log line raises the alarm with the same dimensions", () => {
  const line = (service: string) => ({
    _aws: {
      CloudWatchMetrics: [{ Namespace: "Archway", Dimensions: [["service"]], Metrics: [{ Name: "usage_unbilled" }] }],
    },
    ...{ service, usage_unbilled: 1 },
  });
  logs(JSON.stringify(line("webhook")));
  expect(alarms.ringing()).toEqual([]);
  logs(JSON.stringify(line("report")));
  expect(alarms.ringing()).toEqual(["unbilled"]);
});

test("a schedule without a run raises an alarm after two periods, until its function logs a run", () => {
  minutes(31);
  expect(alarms.ringing()).toEqual(["silent"]);
  logs("the work is done", "other");
  expect(alarms.ringing()).toEqual(["silent"]);
  logs("the work is done");
  expect(alarms.ringing()).toEqual([]);
  minutes(16);
  expect(alarms.ringing()).toEqual([]);
  minutes(15);
  expect(alarms.ringing()).toEqual(["silent"]);
});

import { describe, expect, test } from "@jest/globals";
import * as z from "zod";
import { LambdaFunction } from "../../components/lambda-function.ts";
import { Queue } from "../../components/queue.ts";
import { defineFunction } from "../../handlers/contract.ts";
import { declarationsOf } from "../support/program/pulumi-program.ts";

const contract = defineFunction({
  entry: "handlers/triggers/lambda.ts",
  timeoutSeconds: 20,
  memoryMb: 256,
  env: { STAGE: z.string() },
});

const declared = await declarationsOf(() => {
  const plain = new Queue("unsettled", { consumer: contract });
  new LambdaFunction("settle", { contract, consumes: plain, environment: { STAGE: "test" } });
  const tuned = new Queue("jobs", {
    consumer: contract,
    batchSize: 100,
    batchingWindowSeconds: 5,
    maxConcurrency: 4,
    maxReceiveCount: 8,
  });
  new LambdaFunction("job", { contract, consumes: tuned, environment: { STAGE: "test" } });
});
const arnOf = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}-local`;
const queue = (name: string) => declared.get("aws:sqs/queue:Queue", name).inputs;
const mapping = (name: string) => declared.get("aws:lambda/eventSourceMapping:EventSourceMapping", name).inputs;
const alarm = (name: string) => declared.get("aws:cloudwatch/metricAlarm:MetricAlarm", `${name}-dead-letters`).inputs;

test("messages of a queue stay hidden for six timeouts of its function, plus the time for which a batch is collected", () => {
  expect(queue("unsettled").visibilityTimeoutSeconds).toBe(120);
  expect(queue("jobs").visibilityTimeoutSeconds).toBe(125);
});

test("a message of a queue is tried five times, and kept for two weeks in all, encrypted", () => {
  expect(JSON.parse(queue("unsettled").redrivePolicy)).toEqual({
    deadLetterTargetArn: arnOf("unsettled-dead-letters"),
    maxReceiveCount: 5,
  });
  expect(JSON.parse(queue("jobs").redrivePolicy).maxReceiveCount).toBe(8);
  expect(queue("unsettled-dead-letters")).toEqual({ messageRetentionSeconds: 1_209_600, sqsManagedSseEnabled: true });
  expect(queue("unsettled")).toMatchObject({ messageRetentionSeconds: 1_209_600, sqsManagedSseEnabled: true });
});

describe("an alarm", () => {
  test("a queue's alarm rings at the first dead letter", () => {
    expect(alarm("unsettled")).toMatchObject({
      namespace: "AWS/SQS",
      metricName: "ApproximateNumberOfMessagesVisible",
      dimensions: { QueueName: "unsettled-dead-letters-local" },
      threshold: 0,
      comparisonOperator: "GreaterThanThreshold",
    });
  });

  test("a queue's alarm rings at a message that has waited for more than an hour", () => {
    expect(declared.get("aws:cloudwatch/metricAlarm:MetricAlarm", "unsettled-age").inputs).toMatchObject({
      metricName: "ApproximateAgeOfOldestMessage",
      dimensions: { QueueName: "unsettled-local" },
      threshold: 3600,
    });
  });
});

describe("a function that consumes it", () => {
  test("a function that consumes a queue is invoked with its messages, and says which of them failed", () => {
    expect(mapping("settle")).toEqual({
      eventSourceArn: arnOf("unsettled"),
      functionName: "arn:aws:lambda:eu-central-1:000000000000:function:settle-local",
      functionResponseTypes: ["ReportBatchItemFailures"],
    });
    expect(mapping("job")).toMatchObject({
      batchSize: 100,
      maximumBatchingWindowInSeconds: 5,
      scalingConfig: { maximumConcurrency: 4 },
    });
  });

  test("a function that consumes a queue may receive from no other queue", () => {
    const { Statement } = JSON.parse(declared.get("aws:iam/rolePolicy:RolePolicy", "settle").inputs.policy);
    expect(Statement.slice(1)).toEqual([
      {
        Effect: "Allow",
        Action: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
        Resource: [arnOf("unsettled")],
      },
    ]);
  });
});

// A queue whose messages one function works off, with the dead letters that it gave up and an alarm on them.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { FunctionContract } from "../handlers/contract.ts";
import type { Statement } from "./link.ts";

type QueueArgs = {
  /** Of the function that works the messages off: how long they stay hidden follows from its timeout. */
  consumer: Pick<FunctionContract, "timeoutSeconds">;
  /** Messages of one invocation at most; above 10 a window is needed. */
  batchSize?: number;
  /** How long messages are gathered before they invoke the function, 0 to 300. */
  batchingWindowSeconds?: number;
  /** Batches worked on at once, 2 to 1,000; as many as Lambda likes unless given. */
  maxConcurrency?: number;
  /** How often a message is tried before it is a dead letter. */
  maxReceiveCount?: number;
  /** The topics that the alarm tells; it only shows in CloudWatch unless given. */
  alarmTopics?: pulumi.Input<string>[];
};

/**
 * Visibility timeout in timeouts of the function, so that Lambda can try a throttled batch again; the window comes on top
 * (docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html).
 */
const visibilityFactor = 6;
/** At least 5, says the same page: a throttled batch counts as received. */
const usualReceiveCount = 5;
/** The longest there is, for both queues: a dead letter's age counts from when it was first sent, so a shorter one here saves none. */
const messageRetentionSeconds = 14 * 86_400;

export class Queue extends pulumi.ComponentResource {
  readonly queue: aws.sqs.Queue;
  readonly deadLetters: aws.sqs.Queue;
  readonly #args: QueueArgs;

  constructor(name: string, args: QueueArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Queue", name, {}, opts);
    this.#args = args;
    this.deadLetters = this.createDeadLetters(name);
    this.queue = this.createQueue(name, args);
    this.createAlarm(name, args);
    this.registerOutputs({});
  }

  /** What Lambda does with the queue in the consumer's name. */
  get consume(): Statement {
    return {
      actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
      resources: [this.queue.arn],
    };
  }

  /** Lets the messages invoke the function. It says of each batch which messages failed; those alone come back. */
  invoke(name: string, fn: aws.lambda.Function, opts: pulumi.CustomResourceOptions): void {
    const { batchSize, batchingWindowSeconds, maxConcurrency } = this.#args;
    new aws.lambda.EventSourceMapping(
      name,
      {
        eventSourceArn: this.queue.arn,
        functionName: fn.arn,
        functionResponseTypes: ["ReportBatchItemFailures"],
        ...(batchSize !== undefined && { batchSize }),
        ...(batchingWindowSeconds !== undefined && { maximumBatchingWindowInSeconds: batchingWindowSeconds }),
        ...(maxConcurrency !== undefined && { scalingConfig: { maximumConcurrency: maxConcurrency } }),
      },
      opts,
    );
  }

  private createDeadLetters(name: string): aws.sqs.Queue {
    return new aws.sqs.Queue(
      `${name}-dead-letters`,
      { messageRetentionSeconds, sqsManagedSseEnabled: true },
      { parent: this },
    );
  }

  private createQueue(
    name: string,
    { consumer, batchingWindowSeconds = 0, maxReceiveCount }: QueueArgs,
  ): aws.sqs.Queue {
    return new aws.sqs.Queue(
      name,
      {
        visibilityTimeoutSeconds: visibilityFactor * consumer.timeoutSeconds + batchingWindowSeconds,
        redrivePolicy: pulumi.jsonStringify({
          deadLetterTargetArn: this.deadLetters.arn,
          maxReceiveCount: maxReceiveCount ?? usualReceiveCount,
        }),
        messageRetentionSeconds,
        sqsManagedSseEnabled: true,
      },
      { parent: this },
    );
  }

  /** Any dead letter at all. What redrive moves is not counted as sent, so the alarm goes by what lies there. */
  private createAlarm(name: string, { alarmTopics }: QueueArgs): void {
    new aws.cloudwatch.MetricAlarm(
      `${name}-dead-letters`,
      {
        alarmDescription: `Messages of ${name} were given up: see what its function logs, then replay them`,
        namespace: "AWS/SQS",
        metricName: "ApproximateNumberOfMessagesVisible",
        dimensions: { QueueName: this.deadLetters.name },
        statistic: "Maximum",
        period: 60,
        evaluationPeriods: 1,
        threshold: 0,
        comparisonOperator: "GreaterThanThreshold",
        treatMissingData: "notBreaching",
        ...(alarmTopics && { alarmActions: alarmTopics }),
      },
      { parent: this },
    );
  }
}

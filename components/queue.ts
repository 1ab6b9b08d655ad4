// A queue whose messages one function processes, with the dead letters that were given up and an alarm on them.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { FunctionContract } from "../handlers/contract.ts";
import type { Statement } from "./link.ts";

type QueueArgs = {
  /** The function that processes the messages: how long a message stays hidden follows from its timeout. */
  consumer: Pick<FunctionContract, "timeoutSeconds">;
  /** The most messages of one invocation; above 10 a window is needed. */
  batchSize?: number;
  /** How long messages are gathered before they invoke the function, 0 to 300. */
  batchingWindowSeconds?: number;
  /** Batches processed at once, 2 to 1,000; as many as Lambda likes by default. */
  maxConcurrency?: number;
  /** How often a message is tried before it is a dead letter. */
  maxReceiveCount?: number;
  /** The topics that the alarm notifies; by default it only shows in CloudWatch. */
  alarmTopics?: pulumi.Input<string>[];
};

/**
 * The visibility timeout of a message is this many timeouts of the function, so that Lambda can try a throttled batch again. The
 * time in which Lambda gathers a batch is added to it
 * (docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html).
 */
const visibilityFactor = 6;
/**
 * A message is a dead letter after this many receipts. AWS asks for at least 5, because a throttled batch counts as received
 * (docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html).
 */
const usualReceiveCount = 5;
/** The longest that SQS keeps a message. A dead letter's age counts from its first sending, so both queues keep as long. */
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

  /** The rights by which Lambda polls the queue in the consumer's name. */
  get consume(): Statement {
    return {
      actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
      resources: [this.queue.arn],
    };
  }

  /** Lets the messages invoke the function. Its answer names the messages of a batch that failed, and only those come back. */
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

  /** The alarm goes by the dead letters that lie in the queue: SQS does not count messages that a redrive moves there as sent. */
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

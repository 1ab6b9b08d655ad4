// A queue whose messages one function processes, with the dead letters that were given up, and alarms on both.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { FunctionContract } from "../handlers/contract.ts";
import { alarmAbove } from "./alarm.ts";
import { deadLetterQueue, messageRetentionSeconds } from "./dead-letter-queue.ts";
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

export class Queue extends pulumi.ComponentResource {
  readonly queue: aws.sqs.Queue;
  readonly deadLetters: aws.sqs.Queue;
  readonly #args: QueueArgs;

  constructor(name: string, args: QueueArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Queue", name, {}, opts);
    this.#args = args;
    this.deadLetters = deadLetterQueue("<queue>-dead-letters", name, { parent: this });
    this.queue = this.createQueue(name, args);
    this.createAgeAlarm(name);
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

  private createAgeAlarm(name: string): void {
    const metric = {
      namespace: "AWS/SQS",
      metricName: "ApproximateAgeOfOldestMessage",
      dimensions: { QueueName: this.queue.name },
    };
    alarmAbove("<queue>-age", { of: name, at: this.queue.url, metric }, { parent: this });
  }
}

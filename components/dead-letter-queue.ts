// A queue of what was given up, with its alarm.
import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { alarmAbove } from "./alarm.ts";

/** The longest that SQS keeps a message. A dead letter's age counts from its first sending, so the queue that it comes from keeps as long. */
export const messageRetentionSeconds = 14 * 86_400;

export function deadLetterQueue(name: string, description: string, opts: pulumi.CustomResourceOptions): aws.sqs.Queue {
  const queue = new aws.sqs.Queue(
    `${name}-dead-letters`,
    { messageRetentionSeconds, sqsManagedSseEnabled: true },
    opts,
  );
  // The alarm goes by the messages that lie in the queue: SQS does not count those that a redrive moves there as sent.
  const metric = {
    namespace: "AWS/SQS",
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: queue.name },
  };
  alarmAbove(`${name}-dead-letters`, { description, metric, statistic: "Maximum", periodSeconds: 60 }, opts);
  return queue;
}

// A queue of what was given up, with its alarm.
import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { alarmAbove } from "./alarm.ts";

/** The longest that SQS keeps a message. A dead letter's age counts from its first sending, so the queue that it comes from keeps as long. */
export const messageRetentionSeconds = 14 * 86_400;

/** @param of the queue or the schedule whose messages they were */
export function deadLetterQueue(
  alarm: "<queue>-dead-letters" | "<schedule>-schedule-dead-letters",
  of: string,
  opts: pulumi.CustomResourceOptions,
): aws.sqs.Queue {
  const queue = new aws.sqs.Queue(
    alarm.replace(/<.+>/, of),
    { messageRetentionSeconds, sqsManagedSseEnabled: true },
    opts,
  );
  // The alarm goes by the messages that lie in the queue: SQS does not count those that a redrive moves there as sent.
  const metric = {
    namespace: "AWS/SQS",
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: queue.name },
  };
  alarmAbove(alarm, { of, at: queue.url, metric }, opts);
  return queue;
}

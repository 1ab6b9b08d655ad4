// The operations of the emulated SQS on a whole queue: its attributes, emptying it, and the replay of dead letters.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { onQueue, operation, queueArn, rightOn, type SqsOperation } from "./operation.ts";
import type { Queue } from "./queue.ts";
import type { Queues } from "./queues.ts";
import { invalidParameter, refusal } from "./refusal.ts";

const page = { MaxResults: z.int().optional(), NextToken: z.string().optional() };

export const management: Record<string, SqsOperation> = {
  GetQueueUrl: operation(
    z.strictObject({ QueueName: z.string() }),
    ({ QueueName }, { region }) => [rightOn("sqs:GetQueueUrl", queueArn(region, QueueName))],
    ({ QueueName }, { queues }) => ({ QueueUrl: queues.byName(QueueName).settings.url }),
  ),

  GetQueueAttributes: onQueue(
    "GetQueueAttributes",
    { AttributeNames: z.array(z.string()).default([]) },
    (queue, { AttributeNames }) => {
      const attributes = attributesOf(queue);
      const unknown = AttributeNames.find((name) => name !== "All" && !Object.hasOwn(attributes, name));
      if (unknown) throw refusal("InvalidAttributeName", `Unknown Attribute ${unknown}.`);
      const asked = Object.entries(attributes).filter(
        ([name, value]) => value !== undefined && (AttributeNames.includes("All") || AttributeNames.includes(name)),
      );
      return asked.length > 0 ? { Attributes: Object.fromEntries(asked) } : {};
    },
  ),

  PurgeQueue: onQueue("PurgeQueue", {}, (queue) => queue.purge()),

  ListDeadLetterSourceQueues: onQueue("ListDeadLetterSourceQueues", page, (queue, _, { queues }) => ({
    queueUrls: queues.sourcesOf(queue).map(({ settings }) => settings.url),
  })),

  // Done at once, so there is nothing to list or to cancel.
  StartMessageMoveTask: operation(
    z.strictObject({ SourceArn: z.string(), DestinationArn: z.string().optional() }),
    ({ SourceArn, DestinationArn }, { queues }) => {
      const from = ["StartMessageMoveTask", "ReceiveMessage", "DeleteMessage", "GetQueueAttributes"];
      const source = queues.byArn(SourceArn);
      const targets = DestinationArn
        ? [DestinationArn]
        : (source ? queues.sourcesOf(source) : []).map(({ settings }) => settings.arn);
      return [
        ...from.map((action) => rightOn(`sqs:${action}`, SourceArn)),
        ...targets.map((arn) => rightOn("sqs:SendMessage", arn)),
      ];
    },
    ({ SourceArn, DestinationArn }, { queues }) => {
      replay(queues, SourceArn, DestinationArn);
      return { TaskHandle: Buffer.from(`${randomUUID()} ${SourceArn}`).toString("base64") };
    },
  ),
};

/**
 * Moves dead letters back to where they came from, or to another queue, as new messages. Gives their number.
 * @throws AwsError for what is no dead letter queue.
 */
export function replay(queues: Queues, sourceArn: string, destinationArn?: string): number {
  const source = queues.byArn(sourceArn);
  if (!source)
    throw refusal(
      "ResourceNotFoundException",
      "The resource that you specified for the SourceArn parameter doesn't exist.",
    );
  if (queues.sourcesOf(source).length === 0) {
    throw invalidParameter("Source queue must be configured as a Dead Letter Queue.");
  }
  return source.moveTo(({ deadLetterSourceArn = "" }) => queues.byArn(destinationArn ?? deadLetterSourceArn));
}

function attributesOf(queue: Queue): Record<string, string | undefined> {
  const { settings } = queue;
  const { visible, inFlight, delayed } = queue.counts();
  return {
    QueueArn: settings.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    VisibilityTimeout: String(settings.visibilityTimeoutSeconds),
    MessageRetentionPeriod: String(settings.retentionSeconds),
    DelaySeconds: String(settings.delaySeconds),
    MaximumMessageSize: String(settings.maxMessageBytes),
    ReceiveMessageWaitTimeSeconds: String(settings.receiveWaitSeconds),
    SqsManagedSseEnabled: String(settings.encrypted),
    RedrivePolicy: settings.redrive && JSON.stringify(settings.redrive),
  };
}

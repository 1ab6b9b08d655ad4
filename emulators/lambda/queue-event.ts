// The event by which Lambda hands a batch of messages to a function, and the function's answer about failed ones.
import { type Message, md5, systemAttributesOf } from "../sqs/message.ts";
import { type QueueSettings, receiptHandleOf } from "../sqs/queue.ts";

/** docs.aws.amazon.com/lambda/latest/dg/with-sqs.html, "Example standard queue message event". */
export function queueEvent(messages: Message[], queue: QueueSettings, awsRegion: string) {
  return {
    Records: messages.map((message) => ({
      messageId: message.id,
      receiptHandle: receiptHandleOf(message, queue),
      body: message.body,
      attributes: systemAttributesOf(message),
      messageAttributes: {},
      md5OfBody: md5(message.body),
      eventSource: "aws:sqs",
      eventSourceARN: queue.arn,
      awsRegion,
    })),
  };
}

/**
 * Reads the ids of failed messages from a response to ReportBatchItemFailures. All failed if it cannot be read
 * (docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html, "Success and failure conditions"). AWS does not say
 * what an id of no message of the batch means; here all fail, which loses nothing.
 */
export function failedIds(response: unknown, ids: readonly string[]): ReadonlySet<string> {
  const failures = (response as { batchItemFailures?: unknown } | null)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return new Set(ids);
  const failed = failures.map((failure) => (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier);
  return failed.every((id) => typeof id === "string" && ids.includes(id)) ? new Set(failed as string[]) : new Set(ids);
}

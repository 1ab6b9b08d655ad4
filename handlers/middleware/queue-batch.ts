// Processes a batch of a queue's messages, each by itself. Only the messages that failed are tried again.
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type * as z from "zod";
import type { Log } from "../../domain/kernel/log.ts";

export type QueueWork<Body extends z.ZodType> = {
  /** The schema of a message's body, which is JSON. A message that does not fit fails, until the queue gives it up. */
  body: Body;
  /** Carries one job out. It may be called twice for a message: queues deliver at least once. The message fails if it throws. */
  work(body: z.output<Body>): Promise<void>;
  log: Log;
};

/** The handler for a `Queue` (components/queue.ts), which asks for the failures of each batch. All messages are processed at once. */
export function queueBatch<Body extends z.ZodType>({ body, work, log }: QueueWork<Body>) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const failures = await Promise.all(
      Records.map(async (record) => {
        try {
          await work(body.parse(JSON.parse(record.body)));
          return [];
        } catch (error) {
          const receives = Number(record.attributes.ApproximateReceiveCount);
          log.problem("A message failed", { message_id: record.messageId, receives }, error);
          return [{ itemIdentifier: record.messageId }];
        }
      }),
    );
    return { batchItemFailures: failures.flat() };
  };
}

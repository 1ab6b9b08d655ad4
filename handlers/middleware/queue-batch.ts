// Works off a batch of a queue's messages: each by itself, and those alone that failed are tried again.
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type * as z from "zod";
import type { Log } from "../../domain/kernel/log.ts";

export type QueueWork<Body extends z.ZodType> = {
  /** What a message's body, as JSON, must be. One that is not fails, until the queue gives it up. */
  body: Body;
  /** May be called twice for one message: queues deliver at least once. Fails if it throws. */
  work(body: z.output<Body>): Promise<void>;
  log: Log;
};

/** For the mapping of a `Queue`, which asks for the failures of each batch. All messages are worked on at once. */
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

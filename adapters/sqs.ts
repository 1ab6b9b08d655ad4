// Queues in SQS, whose messages are jobs as JSON. The SDK's client is a chunk of its own, loaded with the first message: most
// instances send none.
import type { BatchResultErrorEntry, SQSClient } from "@aws-sdk/client-sqs";
import type { Queue } from "../domain/kernel/queue.ts";
import { agents } from "./connections.ts";

/** Limits of one call (API reference, SendMessageBatch). A single message may have as many bytes. */
const maxEntries = 10;
const maxBytes = 1_048_576;
/** The longest delay of a message (API reference, SendMessage). */
const maxDelaySeconds = 900;
/** SQS may refuse entries of a batch through no fault of theirs: those are sent again. The SDK repeats whole calls by itself. */
const maxAttempts = 3;
/** Timeouts of each of the SDK's three attempts. Without them a silent service would hold a call to the function's end. */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 3_000 };

/**
 * `send` throws the SDK's error if the job is not known to be in the queue; it may be.
 * @param newClient made once, with the first message.
 */
export function jobQueue<Job>(url: string, newClient: () => Promise<SQSClient> = regionsClient): Queue<Job> {
  let made: Promise<SQSClient> | undefined;
  const client = () => {
    made ??= newClient();
    return made;
  };

  return {
    async send(job, delaySeconds = 0) {
      const { SendMessageCommand } = await import("@aws-sdk/client-sqs");
      const DelaySeconds = Math.min(delaySeconds, maxDelaySeconds);
      const command = new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(job), DelaySeconds });
      await (await client()).send(command);
    },

    async sendAll(jobs) {
      let unsent = 0;
      let cause: unknown;
      for (const batch of batchesOf(jobs.map((job) => JSON.stringify(job)))) {
        try {
          const refused = await sendBatch(await client(), url, batch);
          unsent += refused.count;
          cause ??= refused.failure;
        } catch (error) {
          unsent += batch.length;
          cause ??= error;
        }
      }
      if (unsent > 0) throw new Error(`${unsent} messages could not be sent`, { cause });
    },
  };
}

/** The client calls the region's address, or AWS_ENDPOINT_URL. By default the SDK would call the queue's URL. */
async function regionsClient(): Promise<SQSClient> {
  const { SQSClient } = await import("@aws-sdk/client-sqs");
  const requestHandler = { ...timeouts, ...agents(), throwOnRequestTimeout: true };
  return new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false });
}

/** @returns how many messages SQS did not take, and why */
async function sendBatch(client: SQSClient, url: string, batch: readonly string[]) {
  const { SendMessageBatchCommand } = await import("@aws-sdk/client-sqs");
  let count = 0;
  let failure: BatchResultErrorEntry | undefined;
  let left = batch;
  for (let attempt = 0; attempt < maxAttempts && left.length > 0; attempt++) {
    const sent = left;
    const Entries = sent.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
    const atFault = Failed.filter(({ SenderFault }) => SenderFault);
    count += atFault.length;
    left = Failed.filter((entry) => !atFault.includes(entry)).flatMap(({ Id }) => sent[Number(Id)] ?? []);
    failure ??= Failed[0];
  }
  return { count: count + left.length, failure };
}

/** Batches of as many messages as one call takes, in their order. */
function batchesOf(messages: readonly string[]): string[][] {
  const batches: string[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message);
    const last = batches.at(-1);
    if (last && last.length < maxEntries && bytes + size <= maxBytes) {
      last.push(message);
      bytes += size;
    } else {
      batches.push([message]);
      bytes = size;
    }
  }
  return batches;
}

// Sends to a queue. The SDK's client is a chunk of its own, loaded with the first message: most instances send none.
import type { BatchResultErrorEntry, SQSClient } from "@aws-sdk/client-sqs";
import { agents } from "./connections.ts";

export type QueueMessage = {
  /** At most 1 MiB. */
  body: string;
  /** Seconds until it can be received, 0 to 900. */
  delaySeconds?: number;
};

export type QueueSender = {
  /** @throws the SDK's error if it is not known to be in the queue; it may be. */
  send(message: QueueMessage): Promise<void>;
  /**
   * Any number of messages, in as few calls as they need.
   * @throws UnsentMessagesError with those that are not known to be in the queue, once all others are.
   */
  sendAll(messages: readonly QueueMessage[]): Promise<void>;
};

/** Of one call (API reference, SendMessageBatch). The size is that of a message too. */
const maxEntries = 10;
const maxBytes = 1_048_576;
/** Of entries that SQS did not take, through no fault of theirs. The SDK repeats whole calls by itself. */
const maxAttempts = 3;
/** Each of the SDK's three attempts. Without them a service that is silent would hold a call to the function's end. */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 3_000 };

export class UnsentMessagesError extends Error {
  override name = "UnsentMessagesError";
  readonly messages: readonly QueueMessage[];

  constructor(messages: readonly QueueMessage[], cause: unknown) {
    super(`${messages.length} messages could not be sent`, { cause });
    this.messages = messages;
  }
}

/** @param newClient made once, with the first message. */
export function queueSender(url: string, newClient: () => Promise<SQSClient> = regionsClient): QueueSender {
  let made: Promise<SQSClient> | undefined;
  const client = () => {
    made ??= newClient();
    return made;
  };

  return {
    async send({ body, delaySeconds }) {
      const { SendMessageCommand } = await import("@aws-sdk/client-sqs");
      const command = new SendMessageCommand({ QueueUrl: url, MessageBody: body, DelaySeconds: delaySeconds });
      await (await client()).send(command);
    },

    async sendAll(messages) {
      const unsent: QueueMessage[] = [];
      let cause: unknown;
      for (const batch of batchesOf(messages)) {
        try {
          const { left, failure } = await sendBatch(await client(), url, batch);
          unsent.push(...left);
          cause ??= failure;
        } catch (error) {
          unsent.push(...batch);
          cause ??= error;
        }
      }
      if (unsent.length > 0) throw new UnsentMessagesError(unsent, cause);
    },
  };
}

/** At the region's address, or where AWS_ENDPOINT_URL says: the SDK would else go by the queue's URL. */
async function regionsClient(): Promise<SQSClient> {
  const { SQSClient } = await import("@aws-sdk/client-sqs");
  const requestHandler = { ...timeouts, ...agents(), throwOnRequestTimeout: true };
  return new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false });
}

/** Gives what SQS would not take, and why. */
async function sendBatch(client: SQSClient, url: string, batch: readonly QueueMessage[]) {
  const { SendMessageBatchCommand } = await import("@aws-sdk/client-sqs");
  const refused: QueueMessage[] = [];
  let failure: BatchResultErrorEntry | undefined;
  let left = batch;
  for (let attempt = 0; attempt < maxAttempts && left.length > 0; attempt++) {
    const sent = left;
    const Entries = sent.map(({ body, delaySeconds }, index) => ({
      Id: String(index),
      MessageBody: body,
      DelaySeconds: delaySeconds,
    }));
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
    const messagesOf = (failed: BatchResultErrorEntry[]) => failed.flatMap(({ Id }) => sent[Number(Id)] ?? []);
    refused.push(...messagesOf(Failed.filter(({ SenderFault }) => SenderFault)));
    left = messagesOf(Failed.filter(({ SenderFault }) => !SenderFault));
    failure ??= Failed[0];
  }
  return { left: [...refused, ...left], failure };
}

/** As many messages as one call takes, in their order. */
function batchesOf(messages: readonly QueueMessage[]): QueueMessage[][] {
  const batches: QueueMessage[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body);
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

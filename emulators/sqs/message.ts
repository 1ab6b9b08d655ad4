// A message of the emulated SQS, the checks of its body, and the attributes that SQS adds to it.
import { createHash } from "node:crypto";
import { AwsError } from "../aws/service.ts";

/** Invocations by function's name. */
export type Lineage = Readonly<Record<string, number>>;

/** All times are in milliseconds since the epoch. */
export type Message = {
  id: string;
  queueArn: string;
  body: string;
  senderId: string;
  sentAt: number;
  /** The message can be received from this time on. */
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt?: number;
  /** The receipt of the newest receive. Only this receipt deletes the message. */
  receipt?: string;
  /** How often each function was invoked in the chain that the message comes from. */
  lineage?: Lineage;
  /** The queue that gave the message up, for a message in a dead letter queue. */
  deadLetterSourceArn?: string;
};

/**
 * Limit of a message and of all messages of a batch together: 1 MiB since 2025 (aws.amazon.com/blogs/compute/
 * more-room-to-build-serverless-services-now-support-payloads-up-to-1-mb; API reference, CreateQueue, "MaximumMessageSize").
 */
export const maxMessageBytes = 1_048_576;

/** Characters that XML 1.0 does not allow, lone surrogates included (API reference, SendMessage, "MessageBody"). */
const unreadable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** @throws AwsError for a body that the queue does not take. */
export function checkBody(body: string, maxBytes: number): void {
  if (body === "") throw new AwsError("MissingParameter", "The request must contain the parameter MessageBody.");
  if (unreadable.test(body)) throw new AwsError("InvalidMessageContents", "Invalid characters found in the message.");
  if (Buffer.byteLength(body) > maxBytes) {
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`,
    );
  }
}

export function invalidParameter(message: string): AwsError {
  return new AwsError("InvalidParameterValueException", message);
}

/** The checksum that clients compare. */
export function md5(body: string): string {
  return createHash("md5").update(body).digest("hex");
}

/** The attributes that SQS adds to a received message, as strings. */
export function systemAttributesOf(message: Message): Record<string, string> {
  return {
    SenderId: message.senderId,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
    ...(message.deadLetterSourceArn && { DeadLetterQueueSourceArn: message.deadLetterSourceArn }),
  };
}

// A message of the emulated SQS: what it holds, how large it is, and the checksums that clients verify.
import { createHash } from "node:crypto";
import * as z from "zod";
import { invalidParameter, refusal } from "./refusal.ts";

/** As on the wire: a binary value in base64. */
export type MessageAttributes = z.output<typeof messageAttributes>;
type Attribute = MessageAttributes[string];

export type Message = {
  id: string;
  queueArn: string;
  body: string;
  attributes: MessageAttributes;
  senderId: string;
  /** Milliseconds since the epoch, as all times here. */
  sentAt: number;
  /** From then on it can be received. */
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt?: number;
  /** Of the newest receive: only that receipt deletes it. */
  receipt?: string;
  receivedAt?: number;
  /** The queue that gave it up, for one in a dead letter queue. */
  deadLetterSourceArn?: string;
};

/**
 * Of a message, and of all messages of a batch together: 1 MiB since 2025, before that 256 KiB (aws.amazon.com/blogs/compute/
 * more-room-to-build-serverless-services-now-support-payloads-up-to-1-mb; API reference, CreateQueue, "MaximumMessageSize").
 */
export const maxMessageBytes = 1_048_576;
const maxAttributes = 10;

export const messageAttributes = z
  .record(
    z.string().regex(/^[\w.-]{1,256}$/),
    z.strictObject({
      DataType: z.string().regex(/^(String|Number|Binary)(\..+)?$/),
      StringValue: z.string().optional(),
      BinaryValue: z.base64().optional(),
    }),
  )
  .default({});

/** Body and attributes; the names and the types of these count too. */
export function bytesOf(body: string, attributes: MessageAttributes): number {
  const counted = Object.entries(attributes).map(
    ([name, attribute]) => Buffer.byteLength(name + attribute.DataType) + bytesOfValue(attribute).length,
  );
  return counted.reduce((sum, bytes) => sum + bytes, Buffer.byteLength(body));
}

/** @throws AwsError for what no queue takes. */
export function checkMessage(body: string, attributes: MessageAttributes, maxBytes: number): void {
  if (body === "") throw refusal("MissingParameter", "The request must contain the parameter MessageBody.");
  if (unreadable.test(body)) throw refusal("InvalidMessageContents", "Invalid characters found in the message.");
  if (bytesOf(body, attributes) > maxBytes) {
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`,
    );
  }
  if (Object.keys(attributes).length > maxAttributes) {
    throw invalidParameter(
      `Number of message attributes [${Object.keys(attributes).length}] exceeds the allowed maximum [10].`,
    );
  }
  for (const [name, { DataType, StringValue, BinaryValue }] of Object.entries(attributes)) {
    const value = DataType.startsWith("Binary") ? BinaryValue : StringValue;
    if (!value) throw invalidParameter(`Message attribute '${name}' must contain a non-empty value of its type.`);
  }
}

/** What XML 1.0 has no place for, lone halves of surrogate pairs included (API reference, SendMessage, "MessageBody"). */
const unreadable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

export function md5(body: string): string {
  return createHash("md5").update(body).digest("hex");
}

/**
 * Undefined without attributes. Each name, type and value is preceded by its length, the value by its kind too
 * (docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html).
 */
export function md5OfAttributes(attributes: MessageAttributes): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const hash = createHash("md5");
  const add = (part: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length).update(part);
  };
  for (const name of names) {
    const attribute = attributes[name] as Attribute;
    add(Buffer.from(name));
    add(Buffer.from(attribute.DataType));
    hash.update(Buffer.from([attribute.DataType.startsWith("Binary") ? 2 : 1]));
    add(bytesOfValue(attribute));
  }
  return hash.digest("hex");
}

function bytesOfValue({ DataType, StringValue = "", BinaryValue = "" }: Attribute): Buffer {
  return DataType.startsWith("Binary") ? Buffer.from(BinaryValue, "base64") : Buffer.from(StringValue);
}

/** What SQS itself knows of a received message, as strings. */
export function systemAttributesOf(message: Message): Record<string, string> {
  return {
    SenderId: message.senderId,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
    ...(message.deadLetterSourceArn && { DeadLetterQueueSourceArn: message.deadLetterSourceArn }),
  };
}

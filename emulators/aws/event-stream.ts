// The frames of AWS's event streams: a message with headers (smithy.io/2.0/aws/amazon-eventstream.html).
import { EventStreamCodec } from "@smithy/core/event-streams";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

const text = (value: string) => ({ type: "string", value }) as const;

/** The frame of one event, e.g. `chunk`. */
export function eventFrame(name: string, body: object): Buffer {
  return encode({ ":event-type": text(name), ":message-type": text("event") }, body);
}

/** The frame of an exception inside a stream, e.g. `throttlingException`. */
export function exceptionFrame(name: string, message: string): Buffer {
  return encode({ ":exception-type": text(name), ":message-type": text("exception") }, { message });
}

function encode(given: Parameters<EventStreamCodec["encode"]>[0]["headers"], body: object): Buffer {
  const headers = { ...given, ":content-type": text("application/json") };
  const { buffer, byteOffset, byteLength } = codec.encode({ headers, body: Buffer.from(JSON.stringify(body)) });
  return Buffer.from(buffer, byteOffset, byteLength);
}

// The frames of Bedrock's event stream: one frame for each chunk, and the frames of exceptions.
import { EventStreamCodec } from "@smithy/core/event-streams";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

const text = (value: string) => ({ type: "string", value }) as const;

const chunkHeaders = {
  ":event-type": text("chunk"),
  ":content-type": text("application/json"),
  ":message-type": text("event"),
};

/** Bedrock pads frames so that their length does not reveal their content. */
const padding = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A cache of the frames of short events by their JSON, since answers repeat the same sentences. */
const cachedFrames = new Map<string, Buffer>();
const maxCachedFrames = 4096;
const maxCachedLength = 512;

/** The frame of one chunk. @param json the text of a Messages API event, or any text for a fault */
export function chunkFrame(json: string): Buffer {
  const known = cachedFrames.get(json);
  if (known) return known;
  const p = padding.slice(0, 1 + ((json.length * 7) % padding.length));
  const frame = encode(chunkHeaders, { bytes: Buffer.from(json).toString("base64"), p });
  if (json.length <= maxCachedLength) {
    if (cachedFrames.size >= maxCachedFrames) cachedFrames.clear();
    cachedFrames.set(json, frame);
  }
  return frame;
}

/** The frame of an exception inside a stream, e.g. `throttlingException`. */
export function exceptionFrame(name: string, message: string): Buffer {
  const headers = {
    ":exception-type": text(name),
    ":content-type": text("application/json"),
    ":message-type": text("exception"),
  };
  return encode(headers, { message });
}

function encode(headers: Parameters<EventStreamCodec["encode"]>[0]["headers"], body: object): Buffer {
  const { buffer, byteOffset, byteLength } = codec.encode({ headers, body: Buffer.from(JSON.stringify(body)) });
  return Buffer.from(buffer, byteOffset, byteLength);
}

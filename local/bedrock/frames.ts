// Bedrock's event stream in bytes: one frame for each chunk, and the frames of exceptions.
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

/** The service pads frames so that their length tells nothing of their content. */
const padding = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Frames of short events, by their JSON: the sentences of answers repeat, and so do the events around them. */
const cachedFrames = new Map<string, Buffer>();
const maxCachedFrames = 4096;
const maxCachedLength = 512;

/** The frame that carries `json`, the text of one Messages API event, or whatever else is to be sent as one. */
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

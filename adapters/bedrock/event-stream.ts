// The events of a streamed answer, out of the frames of AWS's event stream encoding.
import { crc32 } from "node:zlib";
import type { PayloadPart } from "@aws-sdk/client-bedrock-runtime";
import { EventStreamCodec } from "@smithy/core/event-streams";
import type { Message } from "@smithy/types";
import type { HostEvent, ModelHostError } from "../../domain/messages/model-host.ts";
import { exceptionNamed, messageIn, throwConnectionFailure } from "./failures.ts";
import { countsIn } from "./invocation-metrics.ts";

/** An event of ResponseStream as it is sent: bytes are in base64. */
type SentPart = Partial<Record<keyof PayloadPart, string>>;

const decoder = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => decoder.decode(bytes as Uint8Array),
  (text) => Buffer.from(text),
);

/**
 * Gives the events in each piece that the connection brings.
 * @throws ModelHostError for an exception inside the stream, or a stream that breaks off
 */
export async function* eventsOf(body: AsyncIterable<Buffer>): AsyncGenerator<HostEvent[]> {
  const readEvent = eventReader();
  let rest: Buffer = nothing;
  try {
    // Frames begin with their length, four bytes, and are cut anywhere by the connection.
    for await (const bytes of body) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const events: HostEvent[] = [];
      let failure: { error: unknown } | undefined;
      while (rest.length >= 4 && !failure) {
        const length = rest.readUInt32BE(0);
        if (rest.length < length) break;
        try {
          const event = readEvent(rest.subarray(0, length));
          if (event) events.push(event);
        } catch (error) {
          failure = { error };
        }
        rest = rest.subarray(length);
      }
      // Events before a bad frame are passed on first.
      if (events.length > 0) yield events;
      if (failure) throw failure.error;
    }
    if (rest.length > 0) throw new Error("The model host's stream broke off inside an event");
  } catch (error) {
    throwConnectionFailure(error);
  }
}

const nothing = Buffer.alloc(0);
/** Prelude: total length, length of the headers, checksum of both. The checksum of all before it is at the end. */
const preludeBytes = 12;
const checksumBytes = 4;

/** The beginning of the events that carry the answer's content, nearly all of a stream: no metrics are looked for in them. */
const ofContent = Buffer.from('{"type":"content_bloc').toString("base64");

/**
 * Reads the frames of one stream. The headers of its ordinary events are all the same: the codec reads them once, and a
 * frame that repeats them is only checked as a whole.
 */
function eventReader(): (frame: Buffer) => HostEvent | undefined {
  let ordinary: Buffer | undefined;
  return (frame) => {
    const end = frame.length - checksumBytes;
    const bodyAt = frame.length > preludeBytes ? preludeBytes + frame.readUInt32BE(4) : 0;
    const headers = frame.subarray(preludeBytes, bodyAt);
    if (!ordinary?.equals(headers)) {
      const message = codec.decode(frame);
      if (message.headers[":message-type"]?.value !== "event") throw exceptionOf(message);
      ordinary = Buffer.from(headers);
    } else if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) {
      throw new Error("The checksum of an event does not match");
    }
    const { bytes } = JSON.parse(frame.toString("utf8", bodyAt, end)) as SentPart;
    if (bytes === undefined) return undefined;
    const json = Buffer.from(bytes, "base64");
    return { json, counts: bytes.startsWith(ofContent) ? undefined : countsIn(json) };
  };
}

function exceptionOf({ headers, body }: Message): ModelHostError {
  const name = String(headers[":exception-type"]?.value ?? headers[":error-code"]?.value ?? "");
  return exceptionNamed(name, messageIn(decoder.decode(body)), undefined);
}

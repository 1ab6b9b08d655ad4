// Server-sent events out of the model host's events: each event's JSON leaves byte for byte as it came.
import { errorBody, type Refusal } from "../../domain/refusal.ts";

const typePattern = /^\{"type":"([a-z_]+)"/;
/** Long enough for the beginning of an event; its text can be megabytes. */
const beginning = 64;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The event's type. Read from its beginning where that is plain, as it is on the model host, else from the whole JSON. */
export function eventType(json: Buffer): string {
  const [, plain] = typePattern.exec(json.toString("latin1", 0, beginning)) ?? [];
  if (plain) return plain;
  const { type } = JSON.parse(json.toString("utf8")) as { type?: unknown };
  if (typeof type !== "string" || /[\r\n]/.test(type)) throw new SyntaxError("an event without a type");
  return type;
}

/** One event on the wire. JSON that was written over several lines takes one `data:` for each (HTML, "server-sent events"). */
export function sse(type: string, json: Buffer): Buffer {
  if (!json.includes(lineFeed) && !json.includes(carriageReturn))
    return Buffer.concat([Buffer.from(`event: ${type}\ndata: `), json, Buffer.from("\n\n")]);
  const lines = json.toString("utf8").replaceAll(/\r\n|\r|\n/g, "\ndata: ");
  return Buffer.from(`event: ${type}\ndata: ${lines}\n\n`);
}

/** A failure after the stream has begun: the status is sent, so the error travels as the last event. */
export function sseError(refusal: Refusal, requestId: string): Buffer {
  return sse("error", Buffer.from(JSON.stringify(errorBody(refusal.code, refusal.message, requestId))));
}

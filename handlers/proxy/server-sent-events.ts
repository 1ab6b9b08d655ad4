// Server-sent events from the model host's events: each event's JSON leaves byte for byte as it came.
import { record } from "../../domain/kernel/json.ts";
import type { Refusal } from "../../domain/kernel/refusal.ts";
import { errorBody } from "../middleware/refusal-form.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** @throws SyntaxError for what is no event of a Messages stream. */
export function eventType(event: unknown): string {
  const { type } = record(event);
  if (typeof type !== "string" || /[\r\n]/.test(type)) throw new SyntaxError("an event without a type");
  return type;
}

/** An event on the wire. JSON over several lines gets a `data:` for each line (HTML Standard, "Server-sent events"). */
export function sse(type: string, json: Buffer): Buffer {
  if (json.includes(lineFeed) || json.includes(carriageReturn)) {
    const lines = json.toString("utf8").replaceAll(/\r\n|\r|\n/g, "\ndata: ");
    return Buffer.from(`event: ${type}\ndata: ${lines}\n\n`);
  }
  // The parts are written into one buffer, since a stream has hundreds of events.
  const head = `event: ${type}\ndata: `;
  const headBytes = Buffer.byteLength(head);
  const event = Buffer.allocUnsafe(headBytes + json.length + 2);
  event.write(head);
  json.copy(event, headBytes);
  event.write("\n\n", headBytes + json.length);
  return event;
}

/** A failure after the stream has begun: the status is sent, so the error travels as the last event. */
export function sseError(refusal: Refusal, requestId: string): Buffer {
  return sse("error", Buffer.from(JSON.stringify(errorBody(refusal.code, refusal.message, requestId))));
}

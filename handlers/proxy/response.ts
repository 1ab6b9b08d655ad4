// The proxy's answers that are no refusals: a page of JSON, a whole message, a stream.
import { Readable } from "node:stream";
import { microsOf } from "../../domain/spending/rate-limit.ts";
import type { Reserved } from "../../domain/spending/reservations.ts";
import { limitHeaders } from "./limit-headers.ts";

/** Middy sends longer texts in pieces of this many UTF-16 units, which can cut a character in two. */
const maxTextLength = 16_384;

/** Clients and what stands between take headers of a few kilobytes. */
const maxDroppedLength = 2_000;
/** Of one name; every flag so far is shorter. */
const maxNameLength = 100;

type Answered = { call: { requestId: string }; admitted: Reserved; dropped: readonly string[] };

export function jsonResponse(requestId: string, body: object) {
  return { statusCode: 200, headers: headersOf(requestId, "application/json"), body: JSON.stringify(body) };
}

/** @param message as the model host wrote it. @param now in milliseconds. */
export function messageResponse(answered: Answered, message: string, now: number) {
  const body = message.length <= maxTextLength ? message : Readable.from([Buffer.from(message)]);
  return { statusCode: 200, headers: admittedHeaders(answered, "application/json", now), body };
}

/** @param now in milliseconds. */
export function streamResponse(answered: Answered, body: Readable, now: number) {
  return { statusCode: 200, headers: admittedHeaders(answered, "text/event-stream; charset=utf-8", now), body };
}

function admittedHeaders(
  { call, admitted, dropped }: Answered,
  contentType: string,
  now: number,
): Record<string, string> {
  return {
    ...headersOf(call.requestId, contentType),
    ...limitHeaders(admitted.limits, admitted.spending, microsOf(now)),
    ...(dropped.length > 0 && { "x-archway-dropped": droppedNames(dropped) }),
  };
}

/** What was left out, as a list. A flag in the body can hold what no header can. */
function droppedNames(dropped: readonly string[]): string {
  const names = dropped
    .map((name) => name.slice(0, maxNameLength).replaceAll(/[^\x21-\x2b\x2d-\x7e]/g, "?"))
    .join(", ");
  return names.length <= maxDroppedLength ? names : `${names.slice(0, maxDroppedLength)}...`;
}

function headersOf(requestId: string, contentType: string): Record<string, string> {
  return { "content-type": contentType, "cache-control": "no-store", "request-id": requestId };
}

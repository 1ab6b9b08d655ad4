// The proxy's answers that are no refusals: a page of JSON, a whole message, a stream.
import { Readable } from "node:stream";
import type { Reserved } from "../../domain/budget/admit.ts";
import { microsOf } from "../../domain/budget/rate-limit.ts";
import { droppedHeader } from "./dropped-header.ts";
import { limitHeaders } from "./limit-headers.ts";

/** Middy sends longer texts in pieces of this many UTF-16 units, which can cut a character in two. */
const maxTextLength = 16_384;

type Answered = {
  call: { requestId: string; dropped: readonly string[]; maxTokens?: number };
  admitted: Reserved;
};

export function jsonResponse(requestId: string, body: object, dropped: readonly string[] = []) {
  const headers = { ...headersOf(requestId, "application/json"), ...droppedHeader(dropped) };
  return { statusCode: 200, headers, body: JSON.stringify(body) };
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

function admittedHeaders({ call, admitted }: Answered, contentType: string, now: number): Record<string, string> {
  return {
    ...headersOf(call.requestId, contentType),
    ...limitHeaders(admitted.limits, admitted.spending, microsOf(now)),
    ...droppedHeader(call.dropped),
    ...(call.maxTokens !== undefined && { "x-archway-max-tokens": String(call.maxTokens) }),
  };
}

function headersOf(requestId: string, contentType: string): Record<string, string> {
  return { "content-type": contentType, "cache-control": "no-store", "request-id": requestId };
}

// The proxy's answers: a page of JSON, a whole message, a stream, a refusal.

import type { Reserved } from "../../domain/budget/admitted.ts";
import { microsOf } from "../../domain/budget/rate-limit.ts";
import type { Refusal } from "../../domain/kernel/refusal.ts";
import { answerHeaders } from "../middleware/answer-headers.ts";
import { refusalResponse } from "../middleware/refusal-response.ts";
import type { AnswerStream } from "./answer-stream.ts";
import { noteRefusal, type ProxyCall } from "./call.ts";
import { limitHeaders, refusalHeaders } from "./limit-headers.ts";
import { isClaudeCode } from "./request.ts";
import type { ProxyServices } from "./services.ts";

export type Answer = {
  statusCode: number;
  headers: Record<string, string>;
  /** A text, or what writes the body and returns when nothing more follows. */
  body: string | ((answer: AnswerStream) => Promise<void>);
};

type Admitted = { call: ProxyCall; admitted: Reserved };

export function jsonResponse(call: ProxyCall, body: object): Answer {
  const headers = { ...headersOf(call.requestId, "application/json"), ...deviationHeaders(call) };
  return { statusCode: 200, headers, body: JSON.stringify(body) };
}

/** @param message as the model host wrote it. @param now in milliseconds. */
export function messageResponse(admitted: Admitted, message: string, now: number): Answer {
  return { statusCode: 200, headers: admittedHeaders(admitted, "application/json", now), body: message };
}

/** @param now in milliseconds. */
export function streamResponse(admitted: Admitted, body: Answer["body"], now: number): Answer {
  return { statusCode: 200, headers: admittedHeaders(admitted, "text/event-stream; charset=utf-8", now), body };
}

/** Reports the refusal, and answers with it. */
export function refused(services: ProxyServices, call: ProxyCall, refusal: Refusal): Answer {
  noteRefusal(services, call, refusal);
  const { budgetStatus: budget, assistantStatus } = services.settings;
  return refusalResponse(refusal, call.requestId, {
    headers: { ...refusalHeaders(refusal), ...deviationHeaders(call) },
    statuses: { budget, incurable: isClaudeCode(call.headers) ? assistantStatus : undefined },
  });
}

function admittedHeaders({ call, admitted }: Admitted, contentType: string, now: number): Record<string, string> {
  return {
    ...headersOf(call.requestId, contentType),
    ...limitHeaders(admitted.limits, admitted.spending, microsOf(now)),
    ...deviationHeaders(call),
    ...(call.maxTokens !== undefined && { "x-archway-max-tokens": String(call.maxTokens) }),
  };
}

function headersOf(requestId: string, contentType: string): Record<string, string> {
  return { "content-type": contentType, ...answerHeaders, "request-id": requestId };
}

/** The headers that tell a caller which model answers, in which region if not its own, and which parts of the request the model host did not get. */
function deviationHeaders({ standIn, movedTo, dropped }: ProxyCall): Record<string, string> {
  return {
    ...(standIn !== undefined && { "x-archway-model": standIn }),
    ...(movedTo !== undefined && { "x-archway-region": movedTo }),
    ...droppedHeader(dropped),
  };
}

/** Clients and what stands between take headers of a few kilobytes. */
const maxDroppedLength = 2_000;
/** For one name; every flag so far is shorter. */
const maxNameLength = 100;

/**
 * The header that tells a caller what was left out of what the model host got; none where nothing was. A flag in the body can
 * hold characters that no header can.
 */
export function droppedHeader(dropped: readonly string[]): Record<string, string> {
  if (dropped.length === 0) return {};
  const names = [...new Set(dropped)]
    .map((name) => name.slice(0, maxNameLength).replaceAll(/[^\x21-\x2b\x2d-\x7e]/g, "?"))
    .join(", ");
  return {
    "x-archway-dropped": names.length <= maxDroppedLength ? names : `${names.slice(0, maxDroppedLength)}...`,
  };
}

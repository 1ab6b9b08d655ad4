// A refusal as an HTTP answer, the same in every function.

import { Refusal } from "../../domain/kernel/refusal.ts";
import { answerHeaders } from "./answer-headers.ts";
import { type ChosenStatuses, errorBody, isFinal, secondsToWait, statusOf } from "./refusal-form.ts";

type Options = {
  /** Further headers of the answer. */
  headers?: Record<string, string> | undefined;
  statuses?: ChosenStatuses | undefined;
};

export function refusalResponse(refusal: Refusal, requestId: string, { headers, statuses }: Options = {}) {
  return {
    statusCode: statusOf(refusal.code, statuses),
    headers: { ...errorHeaders(refusal, requestId), ...headers },
    body: JSON.stringify(errorBody(refusal.code, refusal.message, requestId, refusal)),
  };
}

/** Turns an error into a refusal. Any error that is no refusal is a failure of the platform, whose words stay in the log. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = "Something went wrong on our side. If it lasts, report it with the request id";
  return new Refusal("internal", message, { cause: error });
}

function errorHeaders(refusal: Refusal, requestId: string): Record<string, string> {
  const wait = refusal.isFinal ? undefined : (refusal.retryAfterSeconds ?? secondsToWait(refusal.code));
  return {
    "content-type": "application/json",
    ...answerHeaders,
    "request-id": requestId,
    ...((refusal.isFinal || isFinal(refusal.code)) && { "x-should-retry": "false" }),
    ...(wait !== undefined && { "retry-after": String(wait) }),
    ...(refusal.resetsAt !== undefined && { "x-budget-reset": new Date(refusal.resetsAt).toISOString() }),
    ...(refusal.allow && { allow: refusal.allow.join(", ") }),
  };
}

// A refusal as an HTTP answer, the same in every function.
import {
  type BudgetStatus,
  errorBody,
  type Refusal,
  type RefusalKind,
  refusals,
  statusOf,
} from "../../domain/kernel/refusal.ts";

type Options = {
  /** Further headers of the answer. */
  headers?: Record<string, string> | undefined;
  budgetStatus?: BudgetStatus | undefined;
};

export function refusalResponse(refusal: Refusal, requestId: string, { headers, budgetStatus }: Options = {}) {
  return {
    statusCode: statusOf(refusal.code, budgetStatus),
    headers: { ...errorHeaders(refusal, requestId), ...headers },
    body: JSON.stringify(errorBody(refusal.code, refusal.message, requestId, refusal)),
  };
}

function errorHeaders(refusal: Refusal, requestId: string): Record<string, string> {
  const { shouldRetry }: RefusalKind = refusals[refusal.code];
  return {
    "content-type": "application/json",
    "cache-control": "no-store",
    "request-id": requestId,
    ...(shouldRetry === false && { "x-should-retry": "false" }),
    ...(refusal.retryAfterSeconds !== undefined && { "retry-after": String(refusal.retryAfterSeconds) }),
    ...(refusal.resetsAt !== undefined && { "x-budget-reset": new Date(refusal.resetsAt).toISOString() }),
    ...(refusal.allow && { allow: refusal.allow.join(", ") }),
  };
}

// A refusal as an HTTP answer, the same in every function.
import { type BudgetStatus, errorBody, errorHeaders, type Refusal, statusOf } from "../../domain/kernel/refusal.ts";

type Options = {
  /** Further headers. */
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

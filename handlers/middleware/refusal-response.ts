// A refusal as an HTTP answer, the same in every function.
import { errorBody, errorHeaders, type Refusal } from "../../domain/refusal.ts";

/** @param headers what else the caller is told in headers. */
export function refusalResponse(refusal: Refusal, requestId: string, headers: Record<string, string> = {}) {
  return {
    statusCode: refusal.status,
    headers: { ...errorHeaders(refusal, requestId), ...headers },
    body: JSON.stringify(errorBody(refusal.code, refusal.message, requestId, refusal.unsupported)),
  };
}

// The id of a request, which is in its answer, in its log lines and in the ledger row that it settles.
import type { Context } from "aws-lambda";

export function requestIdOf(context: Context): string {
  return context.awsRequestId;
}

// The one id of a request: in its answer, in every log line and in what it settles.
import type { Context } from "aws-lambda";

export function requestIdOf(context: Context): string {
  return context.awsRequestId;
}

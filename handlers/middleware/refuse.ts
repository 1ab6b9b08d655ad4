// Turns an error into an answer: a refusal into its own status, any other error into a 500 that tells nothing.
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Log } from "../../domain/kernel/log.ts";
import type { Refusal } from "../../domain/kernel/refusal.ts";
import { statusOf } from "./refusal-form.ts";
import { refusalOf, refusalResponse } from "./refusal-response.ts";

type RefuseOptions<Event> = {
  log: Pick<Log, "problem">;
  /** Further facts of the request for the log line of a failure. */
  factsOf?: (event: Event) => object | undefined;
  /** Further headers of a refusal. */
  headersOf?: (refusal: Refusal, event: Event) => Record<string, string>;
};

export function refuse<Event extends APIGatewayProxyEventV2>({
  log,
  factsOf,
  headersOf,
}: RefuseOptions<Event>): MiddlewareObj<Event, APIGatewayProxyStructuredResultV2> {
  return {
    onError: (request) => {
      const requestId = request.context.awsRequestId;
      const refusal = refusalOf(request.error);
      if (statusOf(refusal.code) >= 500) {
        log.problem(refusal.code, { request_id: requestId, ...factsOf?.(request.event) }, refusal.cause ?? refusal);
      }
      request.response = refusalResponse(refusal, requestId, { headers: headersOf?.(refusal, request.event) });
    },
  };
}

// Writes one log line for each request: the caller, the route, the status and the duration. It never has a body or a credential.
import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Log } from "../../domain/kernel/log.ts";
import type { SignedIn } from "./caller.ts";

/** An event with what routing and authentication found out about it. */
export type ObservedEvent = APIGatewayProxyEventV2 & {
  /** e.g. `PUT /v1/grants/{dev_sub}` */
  route?: string;
  caller?: SignedIn;
  receivedAt?: number;
};

type Observed = Request<ObservedEvent, APIGatewayProxyStructuredResultV2>;

export function observe(
  log: Pick<Log, "info">,
  clock: () => number,
): MiddlewareObj<ObservedEvent, APIGatewayProxyStructuredResultV2> {
  const write = ({ event, context, response }: Observed) => {
    const now = clock();
    log.info("request", {
      request_id: context.awsRequestId,
      route: event.route ?? "none",
      status: response?.statusCode,
      sub: event.caller?.sub,
      tenant_id: event.caller?.tenantId,
      client_id: event.caller?.clientId,
      duration_ms: now - (event.receivedAt ?? now),
    });
  };
  return {
    before: ({ event }) => {
      event.receivedAt = clock();
    },
    after: write,
    onError: write,
  };
}

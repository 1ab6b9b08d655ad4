// Answers HEAD like GET, without the body (RFC 9110, section 9.3.2).
import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";

type Handled = Request<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>;

/** The routes, with HEAD added wherever there is GET. */
export function withHead<Route extends { method: string }>(routes: readonly Route[]) {
  return routes.flatMap((route) => {
    return route.method === "GET" ? [route, { ...route, method: "HEAD" as const }] : [route];
  });
}

export function withoutBody(): MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2> {
  const drop = ({ event, response }: Handled) => {
    if (event.requestContext.http.method === "HEAD") delete response?.body;
  };
  return { after: drop, onError: drop };
}

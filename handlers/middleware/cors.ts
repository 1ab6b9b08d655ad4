// CORS (fetch.spec.whatwg.org, "HTTP CORS protocol"): pages of the named origins may call, and read the headers they need.
// API Gateway does not do this: the local stack would have to play its corsConfiguration, of whose `Vary` nothing is documented
// (docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html). Without one it passes these headers on.
import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";

type Result = APIGatewayProxyStructuredResultV2;
type Handled = Request<APIGatewayProxyEventV2, Result>;

const preflightHeaders = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, if-match, if-none-match",
  // Two hours, the longest that Chromium keeps a preflight's answer.
  "access-control-max-age": "7200",
};

const exposed = {
  "access-control-expose-headers":
    "ETag, Location, Retry-After, request-id, x-should-retry, x-budget-reset, x-next-cursor",
};

/** @param origins as browsers send them: scheme, host and port, lower case. Tokens go in a header, so there are no credentials. */
export function cors(origins: readonly string[]): MiddlewareObj<APIGatewayProxyEventV2, Result> {
  const complete = ({ event, response }: Handled) => {
    if (response) response.headers = { ...response.headers, ...allowed(event, exposed) };
  };
  return {
    before: ({ event }) => {
      const { method } = event.requestContext.http;
      if (method !== "OPTIONS" || !event.headers["access-control-request-method"]) return undefined;
      return { statusCode: 204, headers: allowed(event, preflightHeaders) };
    },
    after: complete,
    onError: complete,
  };

  /** `Vary` makes caches keep the answers to each origin apart, also those to no origin and to a foreign one. */
  function allowed({ headers: { origin } }: APIGatewayProxyEventV2, headers: Record<string, string>) {
    if (origin === undefined || !origins.includes(origin)) return { vary: "Origin" };
    return { vary: "Origin", "access-control-allow-origin": origin, ...headers };
  }
}

// The function URL's event together with what becomes known of its request.
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { RequestFacts } from "../../domain/telemetry.ts";

export type ProxyEvent = APIGatewayProxyEventV2 & {
  facts?: RequestFacts;
  /** What was left out of what the model host got. */
  dropped?: readonly string[];
  /** What has to be settled before the invocation ends. */
  inFlight?: { settle(end: object): Promise<void> };
};

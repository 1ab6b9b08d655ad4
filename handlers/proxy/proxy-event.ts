// The function URL's event together with what becomes known of its request.
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { RequestFacts } from "../../domain/messages/telemetry.ts";

export type ProxyEvent = APIGatewayProxyEventV2 & {
  facts?: RequestFacts;
  /** What was left out of what the model host got. */
  dropped?: readonly string[];
  /** The API key that the call came with, once steps 1 to 7 have let it pass. */
  used?: { keyId?: string | undefined };
  /** What has to be settled before the invocation ends. */
  inFlight?: { settle(end: object): Promise<void> };
};

// Every resource type that the local stack knows. A type that is not here stops the start.

import type { Descriptor } from "./descriptor.ts";
import { acm } from "./services/acm.ts";
import { apiGateway } from "./services/api-gateway.ts";
import { bedrock } from "./services/bedrock.ts";
import { cloudflare } from "./services/cloudflare.ts";
import { cloudFront } from "./services/cloudfront.ts";
import { cloudWatch } from "./services/cloudwatch.ts";
import { cloudWatchLogs } from "./services/cloudwatch-logs.ts";
import { cognito } from "./services/cognito.ts";
import { dynamoDb } from "./services/dynamodb.ts";
import { eventSourceMapping } from "./services/event-source-mapping.ts";
import { eventBridge } from "./services/eventbridge.ts";
import { iam } from "./services/iam.ts";
import { lambda } from "./services/lambda.ts";
import { provider } from "./services/provider.ts";
import { s3 } from "./services/s3.ts";
import { sns } from "./services/sns.ts";
import { sqs } from "./services/sqs.ts";

/** The descriptors by Pulumi's type token. */
export const descriptors = byType([
  ...dynamoDb,
  ...iam,
  ...lambda,
  ...sqs,
  ...sns,
  eventSourceMapping,
  ...cloudWatch,
  ...cloudWatchLogs,
  ...eventBridge,
  ...cognito,
  ...apiGateway,
  ...cloudFront,
  ...s3,
  ...acm,
  ...bedrock,
  ...cloudflare,
  provider,
]);

/** @throws Error for a type that is described twice. */
export function byType(all: readonly Descriptor[]): ReadonlyMap<string, Descriptor> {
  const found = new Map<string, Descriptor>();
  for (const descriptor of all) {
    if (found.has(descriptor.type)) throw new Error(`${descriptor.type} has two descriptors.`);
    found.set(descriptor.type, descriptor);
  }
  return found;
}

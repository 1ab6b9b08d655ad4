// Every resource type that the local stack knows. A type that is not here stops the start.
import { acm } from "./acm.ts";
import { apiGateway } from "./api-gateway.ts";
import { cloudflare } from "./cloudflare.ts";
import { cloudFront } from "./cloudfront.ts";
import { cloudWatch } from "./cloudwatch.ts";
import { cloudWatchLogs } from "./cloudwatch-logs.ts";
import { cognito } from "./cognito.ts";
import type { Descriptor } from "./descriptor.ts";
import { dynamoDb } from "./dynamodb.ts";
import { eventSourceMapping } from "./event-source-mapping.ts";
import { eventBridge } from "./eventbridge.ts";
import { iam } from "./iam.ts";
import { lambda } from "./lambda.ts";
import { provider } from "./provider.ts";
import { secretsManager } from "./secrets-manager.ts";
import { sqs } from "./sqs.ts";

/** By Pulumi's type token. */
export const descriptors = byType([
  ...dynamoDb,
  ...iam,
  ...lambda,
  ...sqs,
  ...secretsManager,
  eventSourceMapping,
  ...cloudWatch,
  ...cloudWatchLogs,
  ...eventBridge,
  ...cognito,
  ...apiGateway,
  ...cloudFront,
  ...acm,
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

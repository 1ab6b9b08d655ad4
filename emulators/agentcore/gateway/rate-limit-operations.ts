// The operation that makes a gateway's rate limit, with the shapes of AWS's model (@aws-sdk/client-bedrock-agentcore-control).
import * as z from "zod";
import { isoTime, randomText } from "../ids.ts";
import { clientToken, description } from "../members.ts";
import { type AgentCoreOperation, operation } from "../operation.ts";
import { conflict, overQuota } from "../refusals.ts";
import { gatewayOf, rightOnGateway } from "./gateway-operations.ts";
import type { Gateway, RateLimit } from "./gateways.ts";

const rates = z
  .array(z.strictObject({ rate: z.number().min(0), period: z.enum(["second", "minute"]) }))
  .min(1)
  .optional();
const entry = z.strictObject({
  dimensions: z.record(z.string(), z.string().min(1)),
  requests: rates,
  tokens: rates,
  connections: rates,
});
/** The name of a target, of a tool, or a claim of the caller's token. */
const dimensionKey = z.string().regex(/^(targetName|toolName|\$\.context\.jwt\..+)$/);

export const rateLimitOperations: Record<string, AgentCoreOperation> = {
  CreateGatewayRateLimit: operation(
    "POST /gateways/{gatewayIdentifier}/rate-limits",
    201,
    z.strictObject({
      gatewayIdentifier: z.string().min(1),
      rateLimitId: z.string().min(1).optional(),
      description,
      dimensionKeys: z.array(dimensionKey).min(1),
      entries: z.array(entry).min(1),
      clientToken,
    }),
    ({ gatewayIdentifier }, call) => [rightOnGateway(call, gatewayIdentifier)],
    ({ gatewayIdentifier, rateLimitId = randomText(10), ...input }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const { rateLimitsPerGateway, entriesPerRateLimit } = call.settings.quotas;
      if (gateway.rateLimits.some((one) => one.rateLimitId === rateLimitId)) {
        throw conflict(`Rate limit ${rateLimitId} exists`);
      }
      if (gateway.rateLimits.length >= rateLimitsPerGateway) {
        throw overQuota(`The gateway has its ${rateLimitsPerGateway} rate limits`);
      }
      if (input.entries.length > entriesPerRateLimit) {
        throw overQuota(`A rate limit has ${entriesPerRateLimit} entries at most`);
      }
      const limit = { rateLimitId, ...input, createdAt: call.now, updatedAt: call.now };
      call.gateways.save({ ...gateway, rateLimits: [...gateway.rateLimits, limit] });
      return describe(gateway, limit);
    },
  ),
};

function describe({ id }: Gateway, { createdAt, updatedAt, ...limit }: RateLimit) {
  return {
    ...limit,
    gatewayIdentifier: id,
    status: "ACTIVE",
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

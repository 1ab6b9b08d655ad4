// The operations on a gateway's rate limits, with the shapes of AWS's model (@aws-sdk/client-bedrock-agentcore-control).
import * as z from "zod";
import { isoTime, randomText } from "../ids.ts";
import { clientToken, description, page, pageOf } from "../members.ts";
import { type AgentCoreCall, type AgentCoreOperation, operation } from "../operation.ts";
import { conflict, notFound, overQuota } from "../refusals.ts";
import { gatewayOf, rightOnGateway } from "./gateway-operations.ts";
import type { Gateway, RateLimit } from "./gateways.ts";

const ofGateway = { gatewayIdentifier: z.string().min(1) };
const oneLimit = { ...ofGateway, rateLimitId: z.string().min(1) };

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
const members = { description, entries: z.array(entry).min(1) };
const newMembers = { ...members, dimensionKeys: z.array(dimensionKey).min(1) };

const rights = ({ gatewayIdentifier }: { gatewayIdentifier: string }, call: AgentCoreCall) => [
  rightOnGateway(call, gatewayIdentifier),
];

export const rateLimitOperations: Record<string, AgentCoreOperation> = {
  CreateGatewayRateLimit: operation(
    "POST /gateways/{gatewayIdentifier}/rate-limits",
    201,
    z.strictObject({ ...ofGateway, ...newMembers, rateLimitId: z.string().min(1).optional(), clientToken }),
    rights,
    ({ gatewayIdentifier, rateLimitId = randomText(10), ...input }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const { rateLimitsPerGateway: most } = call.settings.quotas;
      if (gateway.rateLimits.some((one) => one.rateLimitId === rateLimitId)) {
        throw conflict(`Rate limit ${rateLimitId} exists`);
      }
      if (gateway.rateLimits.length >= most) throw overQuota(`The gateway has its ${most} rate limits`);
      return describe(gateway, put(gateway, { rateLimitId, ...input, ...bothTimes(call) }, call));
    },
  ),

  ListGatewayRateLimits: operation(
    "GET /gateways/{gatewayIdentifier}/rate-limits",
    200,
    z.strictObject({ ...ofGateway, ...page }),
    rights,
    ({ gatewayIdentifier, ...input }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const { page: found, ...next } = pageOf(gateway.rateLimits, input);
      return { rateLimits: found.map((limit) => describe(gateway, limit)), ...next };
    },
  ),

  BatchPutGatewayRateLimits: operation(
    "PUT /gateways/{gatewayIdentifier}/rate-limits/batch",
    200,
    z.strictObject({
      ...ofGateway,
      clientToken,
      rateLimits: z.array(z.strictObject({ ...newMembers, rateLimitId: z.string().min(1).optional() })).min(1),
    }),
    rights,
    ({ gatewayIdentifier, rateLimits }, call) => {
      const saved = rateLimits.map(({ rateLimitId = randomText(10), ...input }) => {
        const gateway = gatewayOf(call, gatewayIdentifier);
        const before = gateway.rateLimits.find((one) => one.rateLimitId === rateLimitId);
        const times = { ...bothTimes(call), ...(before && { createdAt: before.createdAt }) };
        return describe(gateway, put(gateway, { rateLimitId, ...input, ...times }, call));
      });
      return { rateLimits: saved };
    },
  ),

  GetGatewayRateLimit: operation(
    "GET /gateways/{gatewayIdentifier}/rate-limits/{rateLimitId}",
    200,
    z.strictObject(oneLimit),
    rights,
    ({ gatewayIdentifier, rateLimitId }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      return describe(gateway, limitOf(gateway, rateLimitId));
    },
  ),

  UpdateGatewayRateLimit: operation(
    "PATCH /gateways/{gatewayIdentifier}/rate-limits/{rateLimitId}",
    200,
    z.strictObject({ ...oneLimit, ...members }),
    rights,
    ({ gatewayIdentifier, rateLimitId, ...input }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const limit = { ...limitOf(gateway, rateLimitId), ...input, updatedAt: call.now };
      return describe(gateway, put(gateway, limit, call));
    },
  ),

  DeleteGatewayRateLimit: operation(
    "DELETE /gateways/{gatewayIdentifier}/rate-limits/{rateLimitId}",
    200,
    z.strictObject(oneLimit),
    rights,
    ({ gatewayIdentifier, rateLimitId }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const gone = limitOf(gateway, rateLimitId);
      call.gateways.save({ ...gateway, rateLimits: gateway.rateLimits.filter((one) => one !== gone) });
      return { rateLimitId, status: "DELETING" };
    },
  ),
};

function limitOf({ rateLimits }: Gateway, id: string): RateLimit {
  const limit = rateLimits.find(({ rateLimitId }) => rateLimitId === id);
  if (!limit) throw notFound(`Rate limit ${id} was not found`);
  return limit;
}

function put(gateway: Gateway, limit: RateLimit, { gateways, settings }: AgentCoreCall): RateLimit {
  const { entriesPerRateLimit: most } = settings.quotas;
  if (limit.entries.length > most) throw overQuota(`A rate limit has ${most} entries at most`);
  const others = gateway.rateLimits.filter(({ rateLimitId }) => rateLimitId !== limit.rateLimitId);
  gateways.save({ ...gateway, rateLimits: [...others, limit] });
  return limit;
}

function bothTimes({ now }: AgentCoreCall) {
  return { createdAt: now, updatedAt: now };
}

function describe({ id }: Gateway, { createdAt, updatedAt, ...limit }: RateLimit) {
  return {
    ...limit,
    gatewayIdentifier: id,
    status: "ACTIVE",
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

// The workspaces' gateways at AgentCore.
import {
  type BedrockAgentCoreControlClient,
  CreateGatewayCommand,
  CreateGatewayRateLimitCommand,
  DeleteGatewayCommand,
  DeleteGatewayTargetCommand,
  GetGatewayCommand,
  paginateListGateways,
  paginateListGatewayTargets,
} from "@aws-sdk/client-bedrock-agentcore-control";
import type { AgentCoreGateways, GatewayStatus } from "../../domain/mcp/agentcore-gateways.ts";
import { agentCoreClient, refusing, tagsOf, unless } from "./client.ts";

export type GatewayOptions = {
  stack: string;
  /** The role in whose name a gateway calls its targets. */
  roleArn: string;
  /** The function that each call passes. */
  interceptorArn: string;
  /** The user pool's OpenID configuration. */
  discoveryUrl: string;
};

/** Calls of one gateway a second: the account's 200 are shared by all (docs of AgentCore, "Quotas"). */
const callsPerSecond = 20;
/** Ours, so that a repeat meets the first one. */
const rateLimitId = "workspace";
/** Every token of a gateway names its tenant, so that one entry counts all calls. */
const tenantDimension = "$.context.jwt.tenant_id";

/** A gateway that is DELETING or has targets refuses its deletion with 400 or 409; only ResourceNotFound says that it is gone. */
const busy = ["ValidationException", "ConflictException"];

export function agentCoreGateways(
  options: GatewayOptions,
  client: BedrockAgentCoreControlClient = agentCoreClient(),
): AgentCoreGateways {
  return {
    find(name) {
      const search = async () => {
        for await (const { items = [] } of paginateListGateways({ client }, { maxResults: 100 })) {
          const found = items.find((one) => one.name === name && one.status !== "DELETING");
          if (found) return found.gatewayId;
        }
        return undefined;
      };
      return refusing(search());
    },

    async create({ name, tenantId, clientIds }) {
      const command = new CreateGatewayCommand({
        name,
        roleArn: options.roleArn,
        protocolType: "MCP",
        authorizerType: "CUSTOM_JWT",
        authorizerConfiguration: {
          customJWTAuthorizer: {
            discoveryUrl: options.discoveryUrl,
            allowedClients: clientIds,
            // Anybody of the pool can sign in at any client: the claim keeps other tenants' people out.
            customClaims: [
              {
                inboundTokenClaimName: "tenant_id",
                inboundTokenClaimValueType: "STRING",
                authorizingClaimMatchValue: {
                  claimMatchValue: { matchValueString: tenantId },
                  claimMatchOperator: "EQUALS",
                },
              },
            ],
          },
        },
        interceptorConfigurations: [
          {
            interceptor: { lambda: { arn: options.interceptorArn } },
            interceptionPoints: ["REQUEST", "RESPONSE"],
            inputConfiguration: { passRequestHeaders: true },
          },
        ],
        tags: tagsOf(options.stack, tenantId),
      });
      const { gatewayId } = await refusing(client.send(command));
      if (gatewayId === undefined) throw new Error("CreateGateway answered without an id");
      return gatewayId;
    },

    async status(gatewayId) {
      const command = new GetGatewayCommand({ gatewayIdentifier: gatewayId });
      const found = await unless("ResourceNotFoundException", client.send(command));
      return found && statusOf(found);
    },

    async limit(gatewayId, tenantId) {
      const command = new CreateGatewayRateLimitCommand({
        gatewayIdentifier: gatewayId,
        rateLimitId,
        dimensionKeys: [tenantDimension],
        entries: [
          { dimensions: { [tenantDimension]: tenantId }, requests: [{ rate: callsPerSecond, period: "second" }] },
        ],
      });
      await unless("ConflictException", client.send(command));
    },

    async targets(gatewayId) {
      const found: string[] = [];
      const pages = paginateListGatewayTargets({ client }, { gatewayIdentifier: gatewayId, maxResults: 100 });
      const list = async () => {
        for await (const { items = [] } of pages) found.push(...items.map(({ targetId }) => targetId ?? ""));
      };
      await unless("ResourceNotFoundException", list());
      return found;
    },

    async removeTarget(gatewayId, targetId) {
      const command = new DeleteGatewayTargetCommand({ gatewayIdentifier: gatewayId, targetId });
      // A target that is going already is a conflict.
      await unless("ConflictException", unless("ResourceNotFoundException", client.send(command)));
    },

    async remove(gatewayId) {
      try {
        await client.send(new DeleteGatewayCommand({ gatewayIdentifier: gatewayId }));
        return "going";
      } catch (error) {
        const { name } = error as Error;
        if (name === "ResourceNotFoundException") return "gone";
        if (busy.includes(name)) return "busy";
        return refusing(Promise.reject(error));
      }
    },
  };
}

function statusOf({ status, statusReasons }: { status?: string | undefined; statusReasons?: string[] | undefined }) {
  const reason = statusReasons?.join("; ");
  const state = status === "READY" ? "ready" : status === "CREATING" || status === "UPDATING" ? "pending" : "failed";
  return { state, reason } satisfies GatewayStatus;
}

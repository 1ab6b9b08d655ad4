// The workspaces' gateways at AgentCore. A gateway's description names the form in which it was made, because lists show that and nothing
// else of how a gateway works.
import { createHash } from "node:crypto";
import {
  type BedrockAgentCoreControlClient,
  CreateGatewayCommand,
  CreateGatewayRateLimitCommand,
  DeleteGatewayCommand,
  DeleteGatewayTargetCommand,
  type GatewaySummary,
  GetGatewayCommand,
  paginateListGateways,
  paginateListGatewayTargets,
  UpdateGatewayCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import type { AgentCoreGateways, GatewayDesign, GatewayStatus } from "../../domain/mcp/agentcore-gateways.ts";
import { stackMark } from "../../domain/mcp/names.ts";
import { agentCoreClient, refusing, tagsOf, unless } from "./client.ts";

export type GatewayOptions = {
  stack: string;
  /** The role in whose name a gateway calls its targets. */
  roleArn: string;
  /** The function that each call passes. */
  interceptorArn: string;
  /** The user pool's OpenID configuration. */
  discoveryUrl: string;
  /** The settings of the gateways' app clients, which are part of a gateway's form. */
  clientForm: string;
};

/** A gateway answers in the versions of MCP that it names, and one that names none does not speak the newest (docs of AgentCore, "Use an AgentCore gateway"). */
const supportedVersions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"];

/** Calls of one gateway a second: the account's 200 are shared by all (docs of AgentCore, "Quotas"). */
const callsPerSecond = 20;
/** The id of a gateway's one rate limit. It is the same at each attempt, so that a repeat meets the first one. */
const rateLimitId = "workspace";
/** Every token of a gateway names its tenant, so that one entry counts all calls. */
const tenantDimension = "$.context.jwt.tenant_id";

/** A gateway that is DELETING or has targets refuses its deletion with 400 or 409; only ResourceNotFound says that it is gone. */
const busy = ["ValidationException", "ConflictException"];

/** States in which a gateway can be changed. */
const settled = ["READY", "UPDATE_UNSUCCESSFUL"];

export function agentCoreGateways(
  options: GatewayOptions,
  client: BedrockAgentCoreControlClient = agentCoreClient(),
): AgentCoreGateways {
  const form = formOf(options);
  const made = (design: GatewayDesign) => ({ ...definitionOf(design, options), description: form });
  const isRenewed = ({ status, description }: { status?: string | undefined; description?: string | undefined }) =>
    description === form && status === "READY";

  return {
    async find(name) {
      const found = await listed(client, (one) => one.name === name && one.status !== "DELETING");
      return found[0]?.gatewayId;
    },

    async create(design) {
      const tags = tagsOf(options.stack, design.tenantId);
      const { gatewayId } = await refusing(client.send(new CreateGatewayCommand({ ...made(design), tags })));
      if (gatewayId === undefined) throw new Error("CreateGateway answered without an id");
      return gatewayId;
    },

    async outdated() {
      const found = await listed(client, ({ name, ...summary }) => {
        const isOwn = name?.startsWith(`${stackMark(options.stack)}-`) ?? false;
        return isOwn && settled.includes(summary.status ?? "") && !isRenewed(summary);
      });
      return found.map(({ name = "" }) => name);
    },

    async renew(gatewayId, design) {
      const present = await refusing(client.send(new GetGatewayCommand({ gatewayIdentifier: gatewayId })));
      if (isRenewed(present)) return;
      await refusing(client.send(new UpdateGatewayCommand({ gatewayIdentifier: gatewayId, ...made(design) })));
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

/** The whole definition of a gateway, since an update replaces all of it. */
function definitionOf({ name, tenantId, clientIds }: GatewayDesign, options: GatewayOptions) {
  return {
    name,
    roleArn: options.roleArn,
    protocolType: "MCP" as const,
    protocolConfiguration: { mcp: { supportedVersions } },
    authorizerType: "CUSTOM_JWT" as const,
    authorizerConfiguration: {
      customJWTAuthorizer: {
        discoveryUrl: options.discoveryUrl,
        allowedClients: clientIds,
        // Anybody of the pool can sign in at any client: the claim keeps other tenants' people out.
        customClaims: [
          {
            inboundTokenClaimName: "tenant_id",
            inboundTokenClaimValueType: "STRING" as const,
            authorizingClaimMatchValue: {
              claimMatchValue: { matchValueString: tenantId },
              claimMatchOperator: "EQUALS" as const,
            },
          },
        ],
      },
    },
    interceptorConfigurations: [
      {
        interceptor: { lambda: { arn: options.interceptorArn } },
        interceptionPoints: ["REQUEST" as const, "RESPONSE" as const],
        inputConfiguration: { passRequestHeaders: true },
      },
    ],
  };
}

/** The form is a hash of the whole definition without the gateway's tenant, and of its app clients, so that any change of them is another form. */
function formOf(options: GatewayOptions): string {
  const anybody = definitionOf({ name: "", tenantId: "", clientIds: [] }, options);
  return `Archway, form ${createHash("sha256")
    .update(JSON.stringify([anybody, options.clientForm]))
    .digest("hex")
    .slice(0, 16)}`;
}

/** @throws Refusal gateway_unavailable */
function listed(client: BedrockAgentCoreControlClient, isWanted: (one: GatewaySummary) => boolean) {
  const search = async () => {
    const found: GatewaySummary[] = [];
    for await (const { items = [] } of paginateListGateways({ client }, { maxResults: 100 })) {
      found.push(...items.filter(isWanted));
    }
    return found;
  };
  return refusing(search());
}

function statusOf({ status, statusReasons }: { status?: string | undefined; statusReasons?: string[] | undefined }) {
  const reason = statusReasons?.join("; ");
  const state = status === "READY" ? "ready" : status === "CREATING" || status === "UPDATING" ? "pending" : "failed";
  return { state, reason } satisfies GatewayStatus;
}

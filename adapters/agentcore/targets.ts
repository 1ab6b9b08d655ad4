// The gateways' targets at AgentCore.
import {
  type BedrockAgentCoreControlClient,
  CreateGatewayTargetCommand,
  DeleteGatewayTargetCommand,
  GetGatewayTargetCommand,
  paginateListGatewayTargets,
  UpdateGatewayTargetCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import type { AgentCoreTargets, TargetDesign, TargetState } from "../../domain/integrations/agentcore-targets.ts";
import { runtimeEndpoint } from "../../domain/marketplace/agent-runtimes.ts";
import { agentCoreClient, refusing, unless } from "./client.ts";

/** Any other status means that AgentCore is still at work. */
const states: Record<string, TargetState> = {
  READY: "ready",
  FAILED: "failed",
  UPDATE_UNSUCCESSFUL: "unsuccessful",
  SYNCHRONIZE_UNSUCCESSFUL: "unsuccessful",
  DELETING: "going",
  CREATE_PENDING_AUTH: "stuck",
  UPDATE_PENDING_AUTH: "stuck",
  SYNCHRONIZE_PENDING_AUTH: "stuck",
};

export function agentCoreTargets(client: BedrockAgentCoreControlClient = agentCoreClient()): AgentCoreTargets {
  return {
    async find(gatewayIdentifier, name) {
      const pages = paginateListGatewayTargets({ client }, { gatewayIdentifier, maxResults: 100 });
      const search = async () => {
        for await (const { items = [] } of pages) {
          const found = items.find((one) => one.name === name && one.status !== "DELETING");
          if (found) return found.targetId;
        }
        return undefined;
      };
      return unless("ResourceNotFoundException", search());
    },

    async create(gatewayIdentifier, design) {
      const command = new CreateGatewayTargetCommand({ gatewayIdentifier, ...inputOf(design) });
      const { targetId } = await refusing(client.send(command));
      if (targetId === undefined) throw new Error("CreateGatewayTarget answered without an id");
      return targetId;
    },

    async update(gatewayIdentifier, targetId, design) {
      const command = new UpdateGatewayTargetCommand({ gatewayIdentifier, targetId, ...inputOf(design) });
      await refusing(client.send(command));
    },

    async status(gatewayIdentifier, targetId) {
      const command = new GetGatewayTargetCommand({ gatewayIdentifier, targetId });
      const found = await unless("ResourceNotFoundException", client.send(command));
      if (!found) return undefined;
      return { state: states[found.status ?? ""] ?? "pending", reason: found.statusReasons?.join("; ") };
    },

    async remove(gatewayIdentifier, targetId) {
      const command = new DeleteGatewayTargetCommand({ gatewayIdentifier, targetId });
      // A target that is going already is a conflict.
      await unless("ConflictException", unless("ResourceNotFoundException", client.send(command)));
    },
  };
}

/** The whole definition of a target, since an update replaces all of it. */
function inputOf({ name, upstream, credential }: TargetDesign) {
  const credentials = "runtimeArn" in upstream ? runtimeCredential : credential && keyCredential(credential);
  return {
    name,
    targetConfiguration: { mcp: sourceOf(upstream) },
    ...(credentials && { credentialProviderConfigurations: [credentials] }),
  };
}

function sourceOf(upstream: TargetDesign["upstream"]) {
  if ("document" in upstream) return { openApiSchema: { inlinePayload: upstream.document } };
  const endpoint = "runtimeArn" in upstream ? runtimeEndpoint(upstream.runtimeArn) : upstream.endpoint;
  return { mcpServer: { endpoint } };
}

/** The gateway signs its calls of a runtime as its role. */
const runtimeCredential = {
  credentialProviderType: "GATEWAY_IAM_ROLE" as const,
  credentialProvider: { iamCredentialProvider: { service: "bedrock-agentcore" } },
};

function keyCredential({ providerArn, location, name, prefix }: NonNullable<TargetDesign["credential"]>) {
  return {
    credentialProviderType: "API_KEY" as const,
    credentialProvider: {
      apiKeyCredentialProvider: {
        providerArn,
        credentialParameterName: name,
        credentialLocation: location === "header" ? ("HEADER" as const) : ("QUERY_PARAMETER" as const),
        ...(prefix !== undefined && { credentialPrefix: prefix }),
      },
    },
  };
}

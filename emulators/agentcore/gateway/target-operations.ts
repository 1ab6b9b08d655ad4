// The operations on a gateway's targets, with paths, statuses and rights as AWS has them.
import * as z from "zod";
import { clientToken, page, pageOf } from "../members.ts";
import { type AgentCoreCall, type AgentCoreOperation, operation } from "../operation.ts";
import { invalid } from "../refusals.ts";
import { gatewayOf, rightOnGateway } from "./gateway-operations.ts";
import { apiKeyOf, serverOf, type TargetDefinition, targetDefinitionOf, targetMembers } from "./target-input.ts";
import { describeTarget, targetSummary } from "./targets.ts";

const ofGateway = { gatewayIdentifier: z.string().min(1) };
const oneTarget = { ...ofGateway, targetId: z.string().regex(/^[0-9a-zA-Z]{10}$/) };

const rights = ({ gatewayIdentifier }: { gatewayIdentifier: string }, call: AgentCoreCall) => [
  rightOnGateway(call, gatewayIdentifier),
];

export const targetOperations: Record<string, AgentCoreOperation> = {
  CreateGatewayTarget: operation(
    "POST /gateways/{gatewayIdentifier}/targets/",
    202,
    z.strictObject({ ...ofGateway, ...targetMembers, clientToken }),
    rights,
    ({ gatewayIdentifier, clientToken, ...input }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const definition = targetDefinitionOf(input);
      checkCredential(definition, call);
      return describeTarget(gateway, call.targets.create(gateway, definition, clientToken));
    },
  ),

  GetGatewayTarget: operation(
    "GET /gateways/{gatewayIdentifier}/targets/{targetId}/",
    200,
    z.strictObject(oneTarget),
    rights,
    ({ gatewayIdentifier, targetId }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      return describeTarget(gateway, call.targets.get(gateway.id, targetId));
    },
  ),

  // The whole definition is replaced: what is left out is dropped.
  UpdateGatewayTarget: operation(
    "PUT /gateways/{gatewayIdentifier}/targets/{targetId}/",
    202,
    z.strictObject({ ...oneTarget, ...targetMembers }),
    rights,
    ({ gatewayIdentifier, targetId, ...input }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const target = call.targets.get(gateway.id, targetId);
      const definition = targetDefinitionOf(input);
      if (definition.name !== target.definition.name) throw invalid("name: a target keeps its name");
      checkCredential(definition, call);
      return describeTarget(gateway, call.targets.update(target, definition));
    },
  ),

  DeleteGatewayTarget: operation(
    "DELETE /gateways/{gatewayIdentifier}/targets/{targetId}/",
    202,
    z.strictObject(oneTarget),
    rights,
    ({ gatewayIdentifier, targetId }, call) => {
      const { id, arn } = gatewayOf(call, gatewayIdentifier);
      const { status } = call.targets.delete(call.targets.get(id, targetId));
      return { gatewayArn: arn, targetId, status };
    },
  ),

  ListGatewayTargets: operation(
    "GET /gateways/{gatewayIdentifier}/targets/",
    200,
    z.strictObject({ ...ofGateway, ...page }),
    rights,
    ({ gatewayIdentifier, ...input }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const { page: found, ...next } = pageOf(call.targets.of(gateway.id), input);
      return { items: found.map((target) => targetSummary(gateway, target)), ...next };
    },
  ),

  SynchronizeGatewayTargets: operation(
    "PUT /gateways/{gatewayIdentifier}/synchronizeTargets",
    202,
    z.strictObject({ ...ofGateway, targetIdList: z.array(z.string()).length(1) }),
    rights,
    ({ gatewayIdentifier, targetIdList: [targetId = ""] }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      const target = call.targets.synchronize(call.targets.get(gateway.id, targetId));
      return { targets: [describeTarget(gateway, target)] };
    },
  ),
};

/**
 * The table "outbound authorization" of AWS's page on gateway targets: an OpenAPI document and an MCP server take none, the gateway's
 * role and an API key. A provider that is not there is refused at once; AWS does not say when it looks.
 */
function checkCredential(definition: TargetDefinition, { providers }: AgentCoreCall): void {
  const apiKey = apiKeyOf(definition);
  if (apiKey && !providers.byArn(apiKey.providerArn)) {
    throw invalid(`credentialProviderConfigurations: there is no provider ${apiKey.providerArn}`);
  }
  if (apiKey || serverOf(definition) || !definition.credentialProviderConfigurations) return;
  throw invalid("credentialProviderConfigurations: the gateway's role is emulated for MCP servers only");
}

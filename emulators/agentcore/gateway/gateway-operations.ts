// The operations on gateways, with paths, statuses and rights as AWS has them.
import * as z from "zod";
import { gatewayArn } from "../arns.ts";
import { unknownSuffix } from "../ids.ts";
import { clientToken, page, pageOf, tags } from "../members.ts";
import {
  type AgentCoreCall,
  type AgentCoreOperation,
  checkTrust,
  identityRights,
  operation,
  passRole,
  requestTags,
  right,
  tagRight,
} from "../operation.ts";
import { definitionOf, gatewayMembers } from "./gateway-input.ts";
import { describeGateway, type Gateway, summaryOf } from "./gateways.ts";

const named = { gatewayIdentifier: z.string().min(1) };

/** Lets a call through to its gateway only in the gateway's own region. */
export function gatewayOf({ gateways, region }: AgentCoreCall, id: string): Gateway {
  const gateway = gateways.get(id);
  return gateway.region === region ? gateway : gateways.get(`${id} of ${region}`);
}

/** The right of the operation's own name on a gateway, whether it is there or not. */
export function rightOnGateway(call: AgentCoreCall, id: string) {
  return right(call, gatewayArn(call.region, id), call.gateways.find(id)?.tags);
}

export const gatewayOperations: Record<string, AgentCoreOperation> = {
  CreateGateway: operation(
    "POST /gateways/",
    202,
    z.strictObject({ ...gatewayMembers, clientToken, tags }),
    (input, call) => {
      const unknownId = `${input.name.toLowerCase()}-${unknownSuffix}`;
      return [
        { action: "bedrock-agentcore:CreateGateway", resource: "*", context: requestTags(input.tags) },
        passRole(input.roleArn),
        ...identityRights("Create", call.region, unknownId),
        ...tagRight(gatewayArn(call.region, unknownId), input.tags),
      ];
    },
    async ({ clientToken, tags = {}, ...input }, call) => {
      await checkTrust(call, input.roleArn, gatewayArn(call.region, `${input.name.toLowerCase()}-${unknownSuffix}`));
      return describeGateway(call.gateways.create(call.region, definitionOf(input), clientToken, tags));
    },
  ),

  GetGateway: operation(
    "GET /gateways/{gatewayIdentifier}/",
    200,
    z.strictObject(named),
    ({ gatewayIdentifier }, call) => [rightOnGateway(call, gatewayIdentifier)],
    ({ gatewayIdentifier }, call) => describeGateway(gatewayOf(call, gatewayIdentifier)),
  ),

  UpdateGateway: operation(
    "PUT /gateways/{gatewayIdentifier}/",
    202,
    z.strictObject({ ...named, ...gatewayMembers }),
    ({ gatewayIdentifier, roleArn }, call) => [rightOnGateway(call, gatewayIdentifier), passRole(roleArn)],
    async ({ gatewayIdentifier, ...input }, call) => {
      const gateway = gatewayOf(call, gatewayIdentifier);
      await checkTrust(call, input.roleArn, gateway.arn);
      return describeGateway(call.gateways.update(gateway, definitionOf(input)));
    },
  ),

  DeleteGateway: operation(
    "DELETE /gateways/{gatewayIdentifier}/",
    202,
    z.strictObject(named),
    ({ gatewayIdentifier }, call) => [
      rightOnGateway(call, gatewayIdentifier),
      ...identityRights("Delete", call.region, gatewayIdentifier),
    ],
    ({ gatewayIdentifier }, call) => {
      const { id } = gatewayOf(call, gatewayIdentifier);
      // Targets that are gone by now have told their gateway so.
      const hasTargets = call.targets.of(id).length > 0;
      const { status } = call.gateways.delete(call.gateways.get(id), hasTargets);
      return { gatewayId: id, status };
    },
  ),

  ListGateways: operation(
    "GET /gateways/",
    200,
    z.strictObject(page),
    () => [{ action: "bedrock-agentcore:ListGateways", resource: "*" }],
    (input, { gateways, region }) => {
      const { page: found, ...next } = pageOf(
        gateways.all().filter((gateway) => gateway.region === region),
        input,
      );
      return { items: found.map(summaryOf), ...next };
    },
  ),
};

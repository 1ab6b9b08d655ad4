// The workspace's MCP gateway over HTTP, for its owner.

import { Refusal } from "../../../domain/kernel/refusal.ts";
import type { AddressedGateway, McpGateway } from "../../../domain/mcp/gateway.ts";
import type { ShownGateway } from "../../../domain/mcp/gateway-dependencies.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { mcpGatewayRoutes } from "./mcp-gateway.routes.ts";

type Dependencies = Pick<ControlDependencies, "mcpGateways" | "ownerGateways" | "settings">;

/** The port of a loopback address to which Claude Code comes back after a sign-in (components/config.ts, `connectorCallbackUrls`). */
const claudeCodePort = 8420;

export function mcpGatewayOperations(deps: Dependencies): Operations<typeof mcpGatewayRoutes> {
  const { mcpGateways, ownerGateways, settings } = deps;
  const endpointOf = ({ address }: Pick<AddressedGateway, "address">) => `${settings.mcpUrl}/${address}/mcp`;

  function described(gateway: McpGateway) {
    const { state, created_at, address } = gateway;
    return {
      endpoint: address === undefined ? undefined : endpointOf({ address }),
      client_id: gateway.client_id,
      public_client_id: gateway.public_client_id,
      state,
      reason: gateway.reason,
      created_at,
      secret_rotated_at: gateway.secret_rotated_at,
      previous_secret_until: gateway.retiring_secret?.until,
    };
  }

  function shown({ gateway, clientSecret }: ShownGateway) {
    const { client_id, public_client_id } = gateway;
    const endpoint = endpointOf(gateway);
    const commands = {
      claude_code: `claude mcp add --transport http --client-id ${public_client_id} --callback-port ${claudeCodePort} archway ${endpoint}`,
      inspector: `npx @modelcontextprotocol/inspector --cli ${endpoint} --transport http --client-id ${public_client_id} --method tools/list`,
    };
    return { ...described(gateway), endpoint, client_id, public_client_id, client_secret: clientSecret, commands };
  }

  return {
    setUpMcpGateway: async ({ caller: { tenantId } }) => shown(await ownerGateways.setUpGateway(tenantId)),

    async getMcpGateway({ caller: { tenantId } }) {
      const gateway = await mcpGateways.get(tenantId);
      if (!gateway) {
        throw new Refusal("not_found", "The workspace has no MCP gateway: create it with POST /v1/mcp-gateway");
      }
      return described(gateway);
    },

    rotateMcpGatewaySecret: async ({ caller: { tenantId } }) => shown(await ownerGateways.rotateSecret(tenantId)),

    async deleteMcpGateway({ caller: { tenantId } }) {
      await ownerGateways.removeGateway(tenantId);
      return undefined;
    },
  };
}

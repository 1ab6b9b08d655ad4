// The workspace's MCP gateway over HTTP, for its owner.

import { nameRedirects } from "../../../domain/connectors/own-redirects.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import type { AddressedGateway, McpGateway } from "../../../domain/mcp/gateway.ts";
import type { ShownGateway } from "../../../domain/mcp/gateway-dependencies.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { mcpGatewayRoutes } from "./mcp-gateway.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  "mcpGateways" | "ownRedirects" | "ownerGateways" | "settings" | "clock" | "newId"
>;

export function mcpGatewayOperations(deps: Dependencies): Operations<typeof mcpGatewayRoutes> {
  const { mcpGateways, ownRedirects, ownerGateways, settings } = deps;
  const endpointOf = ({ address }: Pick<AddressedGateway, "address">) => `${settings.mcpUrl}/${address}/mcp`;

  async function described(gateway: McpGateway, tenantId: string) {
    const { state, created_at, address } = gateway;
    return {
      endpoint: address === undefined ? undefined : endpointOf({ address }),
      client_id: gateway.client_id,
      public_client_id: gateway.public_client_id,
      state,
      reason: gateway.reason,
      created_at,
      secret_rotated_at: gateway.secret_rotated_at,
      redirect_uris: [...(await ownRedirects.of(tenantId))],
      previous_secret_until: gateway.retiring_secret?.until,
    };
  }

  async function shown({ gateway, clientSecret }: ShownGateway, tenantId: string) {
    const { client_id, public_client_id } = gateway;
    const endpoint = endpointOf(gateway);
    const commands = {
      claude_code: `claude mcp add --transport http archway ${endpoint}`,
      inspector: `npx @modelcontextprotocol/inspector --cli ${endpoint} --transport http --method tools/list`,
    };
    const known = await described(gateway, tenantId);
    return { ...known, endpoint, client_id, public_client_id, client_secret: clientSecret, commands };
  }

  /** @throws Refusal not_found */
  async function requireGateway(tenantId: string): Promise<McpGateway> {
    const gateway = await mcpGateways.get(tenantId);
    if (gateway) return gateway;
    throw new Refusal("not_found", "The workspace has no MCP gateway: create it with POST /v1/mcp-gateway");
  }

  return {
    setUpMcpGateway: async ({ caller }) => shown(await ownerGateways.setUpGateway(caller), caller.tenantId),

    getMcpGateway: async ({ caller: { tenantId } }) => described(await requireGateway(tenantId), tenantId),

    async updateMcpGateway({ caller, body }) {
      const gateway = await requireGateway(caller.tenantId);
      await nameRedirects(deps, caller, body.redirect_uris);
      return described(gateway, caller.tenantId);
    },

    rotateMcpGatewaySecret: async ({ caller }) => shown(await ownerGateways.rotateSecret(caller), caller.tenantId),

    async deleteMcpGateway({ caller }) {
      await ownerGateways.removeGateway(caller);
      return undefined;
    },
  };
}

// Gateways of workspaces over the store alone.
import { randomUUID } from "node:crypto";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { type GatewayStore, isAddressed } from "../../../domain/mcp/gateway.ts";
import type { OwnerGateways } from "../../../domain/mcp/owner-gateways.ts";
import { entryBy } from "../../../domain/workspace/audit.ts";

/** Gateways that are ready at once, with AgentCore and the user pool left out. */
export function plainGateways(store: GatewayStore, clock: () => number): OwnerGateways {
  const shown = async (tenantId: string, clientSecret: string) => {
    const gateway = await store.get(tenantId);
    if (!isAddressed(gateway)) throw new Refusal("not_found", "The workspace has no MCP gateway");
    return { gateway, clientSecret };
  };
  return {
    async setUpGateway({ tenantId, sub }) {
      const made = { gateway_id: "id", address: "gateway-1", client_id: "c1", public_client_id: "p1" };
      const now = new Date(clock()).toISOString();
      if (!(await store.get(tenantId))) {
        const entry = entryBy(
          { clock, newId: randomUUID },
          { tenantId, sub },
          { action: "mcp_gateway.create", target: tenantId },
        );
        await store.begin({ tenant_id: tenantId, state: "ready", created_at: now, ...made }, now, entry);
      }
      return shown(tenantId, "first-secret");
    },
    async rotateSecret({ tenantId }) {
      await shown(tenantId, "");
      const now = new Date(clock()).toISOString();
      await store.change(tenantId, { secret_rotated_at: now, retiring_secret: { secret_id: "s1", until: now } });
      return shown(tenantId, "second-secret");
    },
    async removeGateway({ tenantId }) {
      await shown(tenantId, "");
      await store.change(tenantId, { state: "deleting" });
    },
  };
}

// What an owner may do with the workspace's MCP gateway.
import type { ShownGateway } from "./gateway-dependencies.ts";

export interface OwnerGateways {
  /** Makes the gateway, or shows the one that is there. @throws Refusal platform_full, gateway_deleting, workspace_incomplete, changed_meanwhile or gateway_unavailable */
  setUpGateway(tenantId: string): Promise<ShownGateway>;
  /** @throws Refusal not_found, previous_secret_valid, changed_meanwhile or gateway_unavailable */
  rotateSecret(tenantId: string): Promise<ShownGateway>;
  /** Begins to remove it. @throws Refusal not_found or gateway_unavailable */
  removeGateway(tenantId: string): Promise<void>;
}

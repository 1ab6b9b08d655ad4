// What an owner may do with the workspace's MCP gateway.
import type { Author } from "../workspace/audit.ts";
import type { ShownGateway } from "./gateway-dependencies.ts";

export interface OwnerGateways {
  /** Makes the gateway, or shows the one that is there. @throws Refusal platform_full, gateway_deleting, workspace_incomplete, changed_meanwhile or gateway_unavailable */
  setUpGateway(author: Author): Promise<ShownGateway>;
  /** @throws Refusal not_found, previous_secret_valid, changed_meanwhile or gateway_unavailable */
  rotateSecret(author: Author): Promise<ShownGateway>;
  /** Begins to remove the gateway. Nothing happens if there is none. @throws Refusal gateway_unavailable */
  removeGateway(author: Author): Promise<void>;
}

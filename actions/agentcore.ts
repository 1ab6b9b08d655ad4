// Other functions ask the function `agentcore` for these actions.
import * as z from "zod";
import { serverMaterialSchema } from "../domain/integrations/mcp-server.ts";
import { mcpGatewaySchema } from "../domain/mcp/gateway.ts";

const tenant = z.object({ tenant_id: z.string() });
/** `actor` is the person who asks, for the audit trail. */
const asked = tenant.extend({ actor: z.string() });
const server = tenant.extend({ server_id: z.string() });

/** A gateway with the present secret of its client, which is told to its owner and kept nowhere on the way. */
const shown = z.object({
  gateway: mcpGatewaySchema.required({ address: true, client_id: true, public_client_id: true }),
  client_secret: z.string(),
});

export const agentCoreActions = {
  /** Makes a workspace's gateway, or shows the one that it has. */
  set_up_gateway: { input: asked, result: shown },
  /** Gives the gateway's client a further secret. The one before is good for a day more. */
  rotate_gateway_secret: { input: asked, result: shown },
  /** Begins to remove the gateway with all that hangs on it. */
  remove_gateway: { input: asked, result: z.object({}) },
  /** Keeps the credential and the document that a version of an integration came with, and begins to bring it there. */
  apply_server: { input: server.extend(serverMaterialSchema.shape), result: z.object({}) },
  /** Begins to remove an integration whose record says so. */
  remove_server: { input: server, result: z.object({}) },
  /** Removes all that a deleted tenant has at AgentCore. `waiting` while something is still going. */
  remove: {
    input: tenant,
    result: z.object({ removed: z.union([z.record(z.string(), z.int()), z.literal("waiting")]) }),
  },
};

// Verifying an integration: `probe` asks it with its credential, and tools that have changed are listed anew at the gateway.

import { isChanged, knownTools, type Verification, verificationOf } from "../upstream/verification.ts";
import type { Author } from "../workspace/audit.ts";
import { requireServer } from "./mcp-server.ts";
import { requireGateway, type ServerChangeDependencies } from "./server-change.ts";

type Dependencies = Pick<ServerChangeDependencies, "mcpServers" | "mcpGateways" | "probe" | "serverWork" | "clock">;

/** @throws Refusal not_found, gateway_missing, gateway_unavailable */
export async function verifyServer(deps: Dependencies, { tenantId }: Author, serverId: string): Promise<Verification> {
  const { mcpServers, probe, serverWork, clock } = deps;
  const server = await requireServer(mcpServers, tenantId, serverId);
  await requireGateway(deps.mcpGateways, tenantId);
  const outcome = await probe.verify(tenantId, serverId);
  const verification = verificationOf(outcome, server.known_tools, clock());
  await mcpServers.change(server, {
    verification,
    ...("tools" in outcome && { known_tools: knownTools(outcome.tools) }),
  });
  // An API's tools follow from its document, which changes with a PUT alone.
  if (server.target_mode === "mcp_server" && isChanged(verification.changed))
    await serverWork.synchronizeServer(server);
  return verification;
}

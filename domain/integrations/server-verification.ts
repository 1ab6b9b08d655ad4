// Verifying an integration: `probe` asks it with its credential, and the gateway lists an MCP server's tools again until it has taken the tools
// that were found.
import { isChanged, knownTools, type Verification, verificationOf } from "../upstream/verification.ts";
import type { Author } from "../workspace/audit.ts";
import { hasTaken, type McpServer, requireServer } from "./mcp-server.ts";
import { requireGateway, type ServerChangeDependencies } from "./server-change.ts";

type Dependencies = Pick<ServerChangeDependencies, "mcpServers" | "mcpGateways" | "probe" | "serverWork" | "clock">;

/** @throws Refusal not_found, gateway_missing, gateway_unavailable */
export async function verifyServer(deps: Dependencies, { tenantId }: Author, serverId: string): Promise<Verification> {
  const { mcpServers, probe, serverWork, clock } = deps;
  const server = await requireServer(mcpServers, tenantId, serverId);
  await requireGateway(deps.mcpGateways, tenantId);
  const outcome = await probe.verify(tenantId, serverId);
  const verification = verificationOf(outcome, server.known_tools, clock());
  const found: Partial<McpServer> = {
    ...("tools" in outcome && { known_tools: knownTools(outcome.tools) }),
    ...(isChanged(verification.changed) && { tools_found_at: verification.verified_at }),
  };
  // An API's tools follow from its document, which changes with a PUT only.
  const isBehind = server.target_mode === "mcp_server" && verification.verified && !hasTaken({ ...server, ...found });
  const isAtRest = server.state === "ready" || server.state === "failed";
  await mcpServers.change(server, { verification, ...found, ...(isBehind && isAtRest && { state: "updating" }) });
  if (isBehind) await serverWork.applyServer(server, { version: server.version });
  return verification;
}

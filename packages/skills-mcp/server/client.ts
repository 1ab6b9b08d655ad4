// The client at the other end of a call: what it can do, and where its files are.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { allowedFolders } from "../folder/allowed-places.ts";
import { InputNeeded } from "./answer.ts";

/** The client's capabilities: those in the request if it has them (MCP 2026-07-28), else those of the connection. */
function capabilities(server: McpServer, { mcpReq }: ServerContext): ClientCapabilities {
  return (
    (mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
    server.server.getClientCapabilities() ??
    {}
  );
}

/** Whether the client leads its person to an address when it is asked to. */
export function opensAddresses(server: McpServer, ctx: ServerContext): boolean {
  return capabilities(server, ctx).elicitation?.url !== undefined;
}

/** The folders in which files may be read and written. @throws InputNeeded until the client has told its roots. */
export function foldersOf(server: McpServer, ctx: ServerContext, workingDirectory: string): string[] {
  if (!capabilities(server, ctx).roots) return allowedFolders([], workingDirectory);
  const told = inputResponse(ctx.mcpReq.inputResponses, "roots");
  if (told.kind !== "roots") throw new InputNeeded({ roots: inputRequired.listRoots() });
  return allowedFolders(
    told.roots.map(({ uri }) => uri),
    workingDirectory,
  );
}

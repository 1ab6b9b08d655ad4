// An MCP server on this machine under a public name, which takes the credentials that are good and remembers what it was sent.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Stack } from "../../../local/stack.ts";

const publicAddress = "93.184.215.14";

export type ServedUpstream = {
  endpoint: string;
  good: Set<string>;
  /** The credentials with which tools were called. */
  calledWith: string[];
  close(): void;
};

/** Its tool `feed` answers with the pet that it is given. */
export async function serveUpstream(stack: Stack, name = "mcp.pets.example"): Promise<ServedUpstream> {
  const good = new Set<string>();
  const calledWith: string[] = [];
  const handler = toNodeHandler(createMcpHandler(pets));
  const server = createServer((request, response) => {
    const secret = (request.headers.authorization ?? "").replace("Bearer ", "");
    if (!good.has(secret)) return void response.writeHead(401).end();
    if (request.headers["mcp-method"] === "tools/call") calledWith.push(secret);
    void handler(request as never, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const others = stack.hosts.list();
  stack.hosts.put({ ...others, [name]: { addresses: [publicAddress], server: `http://127.0.0.1:${port}` } });
  return {
    endpoint: `https://${name}/mcp`,
    good,
    calledWith,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pets(): McpServer {
  const server = new McpServer({ name: "pets", version: "1.0.0" });
  const inputSchema = z.object({ pet: z.string() });
  server.registerTool("feed", { description: "Feeds a pet", inputSchema }, async ({ pet }) => ({
    content: [{ type: "text", text: `${pet} is fed` }],
  }));
  return server;
}

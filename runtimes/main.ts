// What AgentCore starts in a workspace's runtime: a bridge from MCP over HTTP, on port 8000, to a provider's server that speaks MCP over its
// standard input and output (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/runtime-mcp.html, "Protocol contract").
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { ownProvider } from "./own-provider.ts";
import { ProviderServer } from "./provider-server.ts";

const port = 8000;
const provider = new ProviderServer(new URL("./server/index.js", import.meta.url), {
  environment: process.env,
  variables: ownProvider().variables,
  preload: new URL("./confined-network.js", import.meta.url),
});

/** No sessions: AgentCore gives each caller's session a machine of its own. */
const answer = toNodeHandler(
  createMcpHandler(() => {
    const server = new Server({ name: "archway-runtime", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", ({ params }) => provider.list(params));
    server.setRequestHandler("tools/call", ({ params }) => provider.call(params));
    return server;
  }),
);

createServer((request, response) => {
  // The health check of AgentCore.
  if (request.url === "/ping")
    return void response.setHeader("content-type", "application/json").end('{"status":"Healthy"}');
  if (request.url !== "/mcp") return void response.writeHead(404).end();
  // A server's request has a method and an address, which Node's type of it leaves open.
  void answer(request as Parameters<typeof answer>[0], response);
}).listen(port, "0.0.0.0");

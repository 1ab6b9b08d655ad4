// An MCP server without a network, behind a gateway's target: its tools, how it answers, and what it was sent.
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

export type UpstreamServer = {
  tools: string[];
  /** A status that it answers everything with. */
  refusesWith: number | undefined;
  /** Whether it never answers. */
  hangs: boolean;
  requests: { url: URL; headers: Headers }[];
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
};

/** A tool answers with its name and arguments. */
export function upstreamServer(...tools: string[]): UpstreamServer {
  const upstream: UpstreamServer = {
    tools,
    refusesWith: undefined,
    hangs: false,
    requests: [],
    async fetch(input, init) {
      const request = new Request(input, init);
      upstream.requests.push({ url: new URL(request.url), headers: request.headers });
      if (upstream.hangs) return new Promise(() => {});
      if (upstream.refusesWith !== undefined) return new Response("no", { status: upstream.refusesWith });
      return createMcpHandler(() => serverOf(upstream)).fetch(request);
    },
  };
  return upstream;
}

function serverOf({ tools }: UpstreamServer): Server {
  const server = new Server({ name: "upstream", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map((name) => ({ name, description: `The tool ${name}`, inputSchema: { type: "object" as const } })),
  }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text" as const, text: JSON.stringify([params.name, params.arguments]) }],
  }));
  return server;
}

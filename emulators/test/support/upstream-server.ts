// An MCP server without a network, behind a gateway's target: its tools, a prompt and resources, how it answers, and what it was sent.
import { createMcpHandler, ProtocolError, Server } from "@modelcontextprotocol/server";

export type UpstreamServer = {
  tools: string[];
  /** A status that it answers everything with. */
  refusesWith: number | undefined;
  /** Whether it never answers. */
  hangs: boolean;
  requests: { url: URL; headers: Headers }[];
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
};

/** A tool and a prompt answer with their name and arguments, a resource with its address. */
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
  const server = new Server(
    { name: "upstream", version: "1.0.0" },
    { capabilities: { tools: {}, prompts: {}, resources: {} } },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map((name) => ({ name, description: `The tool ${name}`, inputSchema: { type: "object" as const } })),
  }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text" as const, text: JSON.stringify([params.name, params.arguments]) }],
  }));
  server.setRequestHandler("prompts/list", () => ({ prompts: [{ name: "review", description: "Reviews" }] }));
  server.setRequestHandler("prompts/get", ({ params }) => ({
    messages: [
      {
        role: "user" as const,
        content: { type: "text" as const, text: JSON.stringify([params.name, params.arguments]) },
      },
    ],
  }));
  server.setRequestHandler("resources/list", () => ({ resources: [{ uri: "file:///a", name: "a" }] }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "file:///logs/{day}", name: "logs" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    if (uri.endsWith("secret")) throw new ProtocolError(-32_050, "That one is not for you");
    return { contents: [{ uri, text: `what is at ${uri}` }] };
  });
  return server;
}

// A gateway as an MCP server: the tools of all its targets under `target___tool`, in the era that the client speaks.
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Gateway } from "../gateways.ts";
import type { Offer, OfferedTool, Tool } from "../targets.ts";
import type { ToolResult } from "./openapi-call.ts";

export type ToolServerParts = {
  gateway: Gateway;
  offers: Offer[];
  call: (offer: Offer, tool: OfferedTool, given: Record<string, unknown>) => Promise<ToolResult>;
};

const separator = "___";
/** How many tools a page has is not said anywhere. */
const pageSize = 100;

/** Answers one message. Sessions and streams are off, as on a gateway without a configuration for them. */
export async function answerMessage(request: Request, body: unknown, parts: ToolServerParts): Promise<Response> {
  const server = serverOf(parts);
  if (!(await isLegacyRequest(request.clone(), body))) {
    const handler = createMcpHandler(() => server, { legacy: "reject" });
    return handler.fetch(request, { parsedBody: body });
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

function serverOf({ gateway, offers, call }: ToolServerParts): Server {
  const { name, protocolConfiguration } = gateway.definition;
  const { instructions, disableMcpListToolsPagination } = protocolConfiguration?.mcp ?? {};
  const server = new Server(
    { name, version: "1.0.0" },
    { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    const all = offers.flatMap(({ definition, tools }) => tools.map(({ tool }) => prefixed(definition.name, tool)));
    const start = Number(params?.cursor ?? 0);
    const end = disableMcpListToolsPagination ? all.length : start + pageSize;
    const page = { tools: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
    return page as never;
  });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const found = offers
      .flatMap((offer) => offer.tools.map((offered) => ({ offer, offered })))
      .find(({ offer, offered }) => `${offer.definition.name}${separator}${offered.tool.name}` === params.name);
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return (await call(found.offer, found.offered, params.arguments ?? {})) as never;
  });
  return server;
}

function prefixed(target: string, tool: Tool): Tool {
  return { ...tool, name: `${target}${separator}${tool.name}` };
}

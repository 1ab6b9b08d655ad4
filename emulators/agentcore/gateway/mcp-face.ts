// A gateway as an MCP server, in the era that the client speaks: the tools and prompts of all its targets under `target___name`, and their
// resources under the addresses that the targets' servers gave them.
// docs.aws.amazon.com/bedrock-agentcore/latest/devguide: gateway-using.html, gateway-using-mcp-prompts-get.html, gateway-using-mcp-resources-read.html
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  UnsupportedProtocolVersionError,
  UriTemplate,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Gateway } from "./gateways.ts";
import type { ToolResult } from "./openapi-call.ts";
import { serverOf } from "./target-input.ts";
import type { Offer, OfferedTool, Prompt } from "./targets.ts";

export type FaceParts = {
  gateway: Gateway;
  offers: Offer[];
  call: (offer: Offer, tool: OfferedTool, given: Record<string, unknown>) => Promise<ToolResult>;
  /** Passes a question on to the MCP server behind a target. */
  pass: (offer: Offer, question: PassedQuestion) => Promise<object>;
};

/** What is asked of a target's server at the moment, and not answered by its lists. */
export type PassedQuestion =
  | { method: "prompts/get"; params: { name: string; arguments?: Record<string, string> } }
  | { method: "resources/read"; params: { uri: string } };

const separator = "___";
/** How many entries a page has is not said anywhere. */
const pageSize = 100;
/** A target's priority unless it has one; the lowest comes first (API_McpServerTargetConfiguration.html). */
const usualPriority = 1_000;
/** What a gateway speaks unless it is told: as a live one said it (dev.classmethod.jp/en/articles/agentcore-gateway-enable-mcp-2026-07-28). */
const usualVersions = ["2025-11-25", "2025-03-26"];
/** From this version on there are no sessions, and each message names its version. */
const firstStateless = "2026-07-28";

/** Answers one message. Sessions and streams are off, as on a gateway without a configuration for them. */
export async function answerMessage(request: Request, body: unknown, parts: FaceParts): Promise<Response> {
  const versions = versionsOf(parts.gateway);
  const server = faceOf(parts, versions);
  if (!(await isLegacyRequest(request.clone(), body))) {
    if (!versions.some((version) => version >= firstStateless)) return unsupported(request, body, versions);
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

/** The newest first, because a server offers the first one to a client whose own it does not have. */
function versionsOf({ definition }: Gateway): string[] {
  return [...(definition.protocolConfiguration?.mcp.supportedVersions ?? usualVersions)].sort().reverse();
}

/** What a gateway without a stateless version answers. One that has such a version is like any other server, which the SDK plays. */
function unsupported(request: Request, body: unknown, supported: string[]): Response {
  const requested = request.headers.get("mcp-protocol-version") ?? "";
  const { code, message, data } = new UnsupportedProtocolVersionError({ supported, requested });
  const id = (body as { id?: unknown } | null)?.id ?? null;
  return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status: 400 });
}

function faceOf({ gateway, offers, call, pass }: FaceParts, supportedProtocolVersions: string[]): Server {
  const { name, protocolConfiguration } = gateway.definition;
  const { instructions, disableMcpListToolsPagination } = protocolConfiguration?.mcp ?? {};
  const server = new Server(
    { name, version: "1.0.0" },
    {
      capabilities: { tools: {}, prompts: {}, resources: {} },
      supportedProtocolVersions,
      ...(instructions !== undefined && { instructions }),
    },
  );
  const tools = offers.flatMap((offer) =>
    offer.tools.map((offered) => ({ offer, offered, ...prefixed(offer, offered.tool) })),
  );
  const prompts = offers.flatMap((offer) =>
    (offer.prompts ?? []).map((prompt) => ({ offer, prompt, ...prefixed(offer, prompt) })),
  );
  const byPriority = offers.toSorted((a, b) => priorityOf(a) - priorityOf(b));

  server.setRequestHandler("tools/list", ({ params }) => {
    const all = tools.map(({ offered, name }) => ({ ...offered.tool, name }));
    return (disableMcpListToolsPagination ? { tools: all } : pageOf("tools", all, params?.cursor)) as never;
  });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const found = tools.find(({ name }) => name === params.name);
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return (await call(found.offer, found.offered, params.arguments ?? {})) as never;
  });
  server.setRequestHandler("prompts/list", ({ params }) => {
    const all = prompts.map(({ prompt, name }) => ({ ...prompt, name }));
    return pageOf("prompts", all, params?.cursor) as never;
  });
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const found = prompts.find(({ name }) => name === params.name);
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
    const asked = { name: found.prompt.name, ...(params.arguments && { arguments: params.arguments }) };
    return (await pass(found.offer, { method: "prompts/get", params: asked })) as never;
  });
  server.setRequestHandler("resources/list", ({ params }) => {
    const all = byPriority.flatMap(({ resources = [] }) => resources);
    return pageOf("resources", all, params?.cursor) as never;
  });
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    const all = byPriority.flatMap(({ resourceTemplates = [] }) => resourceTemplates);
    return pageOf("resourceTemplates", all, params?.cursor) as never;
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const found = byPriority.find((offer) => hasResource(offer, uri));
    if (!found) throw new ResourceNotFoundError(uri);
    return (await pass(found, { method: "resources/read", params: { uri } })) as never;
  });
  return server;
}

function hasResource({ resources = [], resourceTemplates = [] }: Offer, uri: string): boolean {
  const isListed = resources.some((one) => one.uri === uri);
  return isListed || resourceTemplates.some(({ uriTemplate }) => new UriTemplate(uriTemplate).match(uri) !== null);
}

function priorityOf({ definition }: Offer): number {
  return serverOf(definition)?.resourcePriority ?? usualPriority;
}

function prefixed({ definition }: Offer, { name }: Prompt): { name: string } {
  return { name: `${definition.name}${separator}${name}` };
}

function pageOf(kind: string, all: readonly object[], cursor: string | undefined): object {
  const start = Number(cursor ?? 0);
  const end = start + pageSize;
  return { [kind]: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
}

// The MCP server behind a target: what it has is listed, and its tools are called, by the MCP SDK's client, in the era that the server speaks.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { PassedQuestion } from "./mcp-face.ts";
import type { Fetch, ToolResult } from "./openapi-call.ts";
import type { OutboundCredential } from "./outbound-credential.ts";
import type { Offered, Tool } from "./targets.ts";

const timeout = 60_000;

export type Upstream = { endpoint: string; credential: OutboundCredential; fetch: Fetch };

/** A page of a list, and where the next one begins. */
type Page = { nextCursor?: string | undefined };

/** All tools, prompts and resources, page by page. @throws Error with a reason for people. */
export async function listAll(upstream: Upstream): Promise<Offered> {
  return connected(upstream, async (client) => {
    const { prompts, resources } = client.getServerCapabilities() ?? {};
    const tools = await pages(
      (page) => client.listTools(page, { timeout }),
      (page) => page.tools,
    );
    return {
      tools: tools.map((tool) => ({ tool: tool as unknown as Tool })),
      ...(prompts && {
        prompts: await pages(
          (page) => client.listPrompts(page, { timeout }),
          (page) => page.prompts,
        ),
      }),
      ...(resources && {
        resources: await pages(
          (page) => client.listResources(page, { timeout }),
          (page) => page.resources,
        ),
        resourceTemplates: await pages(
          (page) => client.listResourceTemplates(page, { timeout }),
          (page) => page.resourceTemplates,
        ),
      }),
    };
  });
}

export async function callTool(upstream: Upstream, name: string, given: Record<string, unknown>): Promise<ToolResult> {
  return connected(upstream, async (client) => {
    return (await client.callTool({ name, arguments: given }, { timeout })) as unknown as ToolResult;
  });
}

/** @throws ProtocolError as the server refuses */
export async function passQuestion(upstream: Upstream, { method, params }: PassedQuestion): Promise<object> {
  return connected<object>(upstream, (client) =>
    method === "prompts/get" ? client.getPrompt(params, { timeout }) : client.readResource(params, { timeout }),
  );
}

async function pages<P extends Page, T>(
  ask: (page: { cursor?: string }) => Promise<P>,
  of: (page: P) => T[],
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(cursor === undefined ? {} : { cursor });
    all.push(...of(page));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

async function connected<T>(upstream: Upstream, use: (client: Client) => Promise<T>): Promise<T> {
  const { endpoint, credential, fetch } = upstream;
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(credential.query)) url.searchParams.set(name, value);
  const requestInit = { headers: credential.headers };
  const transport = new StreamableHTTPClientTransport(url, { requestInit, fetch });
  const client = new Client(
    { name: "bedrock-agentcore-gateway", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  try {
    await client.connect(transport, { timeout });
    return await use(client);
  } finally {
    await client.close().catch(() => {});
  }
}

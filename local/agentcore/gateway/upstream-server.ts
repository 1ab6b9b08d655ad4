// The MCP server behind a target: its tools are listed and called by the MCP SDK's client, in the era that the server speaks.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Tool } from "../targets.ts";
import type { Fetch, ToolResult } from "./openapi-call.ts";
import type { OutboundCredential } from "./outbound-credential.ts";

const timeout = 60_000;

export type Upstream = { endpoint: string; credential: OutboundCredential; fetch: Fetch };

/** All tools, page by page. @throws Error with a reason for people. */
export async function listTools(upstream: Upstream): Promise<Tool[]> {
  return connected(upstream, async (client) => {
    const tools: Tool[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout });
      tools.push(...(page.tools as unknown as Tool[]));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  });
}

export async function callTool(upstream: Upstream, name: string, given: Record<string, unknown>): Promise<ToolResult> {
  return connected(upstream, async (client) => {
    return (await client.callTool({ name, arguments: given }, { timeout })) as unknown as ToolResult;
  });
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

// Upstreams as they answer: MCP servers of both eras, and what is none.
import { createServer, type RequestListener, request as requestByHttp, type Server } from "node:http";
import type { request as requestByHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { upstream } from "../../../adapters/upstream/upstream.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function asking(answer: RequestListener, timeoutMs = 20_000) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as AddressInfo;
  const request = (url: URL, { lookup: _, agent: __, ...options }: Record<string, unknown>, answered: never) =>
    requestByHttp(`http://127.0.0.1:${port}${url.pathname}${url.search}`, options, answered);
  return upstream({
    timeoutMs,
    resolve: async () => [{ address: "93.184.215.14", family: 4 }],
    request: request as unknown as typeof requestByHttps,
  });
}

function mcp(legacy: "reject" | "stateless" = "stateless"): RequestListener {
  const make = () => {
    const server = new McpServer({ name: "pets", version: "1.0.0" });
    server.registerTool("list_pets", { description: "All pets" }, async () => ({ content: [] }));
    server.registerTool("feed_pets", { description: "Feeds" }, async () => ({ content: [] }));
    return server;
  };
  return toNodeHandler(createMcpHandler(make, { legacy })) as RequestListener;
}

/** A server of the era before, which knows no server/discover. */
const legacyServer: RequestListener = async (request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let text = "";
  for await (const chunk of request) text += chunk;
  const { id, method } = JSON.parse(text);
  const answer = (body: object) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  if (id === undefined) return void response.writeHead(202).end();
  if (method === "initialize") {
    const serverInfo = { name: "old", version: "1" };
    return void answer({ result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list")
    return void answer({ result: { tools: [{ name: "old", inputSchema: { type: "object" } }] } });
  answer({ error: { code: -32601, message: "Method not found" } });
};

const endpoint = "https://mcp.example.com/mcp";
const none = undefined;
const bearer = { location: "header", name: "Authorization", prefix: "Bearer", secret: "s3cret" } as const;

describe("the tools of an MCP server", () => {
  test("the tools of an MCP server that supports only 2026-07-28 are found", async () => {
    const tools = await (await asking(mcp("reject"))).tools(endpoint, none);
    expect(tools.map(({ name }) => name)).toEqual(["list_pets", "feed_pets"]);
    expect(tools[0]?.digest).not.toBe(tools[1]?.digest);
  });

  test("the tools of an MCP server of the earlier era are found", async () => {
    const tools = await (await asking(legacyServer)).tools(endpoint, none);
    expect(tools.map(({ name }) => name)).toEqual(["old"]);
  });

  test.each([
    ["in a header", bearer, "/mcp Bearer s3cret"],
    ["in a header of its own", { location: "header", name: "x-key", secret: "s3cret" } as const, "/mcp s3cret"],
    ["in the query", { location: "query", name: "key", secret: "s3 cret" } as const, "/mcp?key=s3+cret "],
  ])("the tools of an MCP server are requested with the credential %s", async (_, credential, expected) => {
    const seen = new Set<string>();
    const serve = mcp();
    const asked = await asking((request, response) => {
      seen.add(`${request.url} ${request.headers.authorization ?? request.headers["x-key"] ?? ""}`);
      serve(request, response);
    });
    expect(await asked.tools(endpoint, credential)).toHaveLength(2);
    expect([...seen]).toEqual([expected]);
  });
});

describe("a server that cannot be used says why:", () => {
  const status = (code: number, headers: Record<string, string> = {}, body = ""): RequestListener => {
    return (_, response) => response.writeHead(code, headers).end(body);
  };
  const metadata = 'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"';

  test.each([
    ["it wants a plain bearer token", status(401, { "www-authenticate": "Bearer" }), none, "credential_missing"],
    ["it wants OAuth", status(401, { "www-authenticate": metadata }), none, "oauth_required"],
    ["it wants something", status(401), none, "credential_missing"],
    ["it refuses the credential", status(401, { "www-authenticate": metadata }), bearer, "credential_refused"],
    ["it forbids", status(403), bearer, "credential_forbidden"],
    ["it is no MCP", status(200, { "content-type": "text/html" }, "<html></html>"), none, "not_mcp"],
    ["it is JSON of another kind", status(200, { "content-type": "application/json" }, "{}"), none, "not_mcp"],
    ["nothing is there", status(404), none, "not_mcp"],
    ["it fails", status(500), none, "upstream_failed"],
    ["it redirects", status(302, { location: "https://127.0.0.1/" }), none, "redirected"],
    [
      "its answer is large",
      status(200, { "content-type": "application/json" }, "a".repeat(10_000_000)),
      none,
      "too_large",
    ],
    ["it breaks off", (request) => request.socket.destroy(), none, "unreachable"],
  ] satisfies [string, RequestListener, typeof bearer | undefined, string][])(
    "an MCP server that cannot be used is reported with the reason: %s",
    async (_, answer, credential, reason) => {
      await expect((await asking(answer)).tools(endpoint, credential)).rejects.toMatchObject({ reason });
    },
  );

  test("an MCP server that does not answer is refused with a reason", async () => {
    await expect((await asking(() => {}, 50)).tools(endpoint, none)).rejects.toMatchObject({ reason: "too_slow" });
  });

  test("an MCP server whose answer never ends is refused with a reason", async () => {
    const endless: RequestListener = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const more = () => response.write(`: ${"a".repeat(100_000)}\n\n`, () => setImmediate(more));
      more();
    };
    const asked = await asking(endless);
    await expect(asked.tools(endpoint, none)).rejects.toMatchObject({ reason: "too_large" });
  });
});

describe("an API", () => {
  test("an API is checked with the credential", async () => {
    const asked = await asking((request, response) =>
      response.writeHead(request.headers.authorization === "Bearer s3cret" ? 200 : 401).end("{}"),
    );
    await expect(asked.read("https://api.example.com/pets", bearer)).resolves.toBe(200);
    await expect(asked.read("https://api.example.com/pets", { ...bearer, secret: "x" })).rejects.toMatchObject({
      reason: "credential_refused",
    });
  });

  test("the status of an answer that refuses no credential is returned", async () => {
    const asked = await asking((_, response) => response.writeHead(404).end());
    await expect(asked.read("https://api.example.com/", none)).resolves.toBe(404);
  });

  test("an API that fails is named in the reason", async () => {
    const asked = await asking((_, response) => response.writeHead(503).end());
    await expect(asked.read("https://api.example.com/", none)).rejects.toMatchObject({ reason: "upstream_failed" });
  });
});

// Integrations through the whole stack: registered, called by a member, verified, rotated, searched and removed.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const path = "/v1/mcp-servers";
const publicAddress = "93.184.215.14";
const good = new Set(["first-secret"]);
const seen = new Set<string>();
let isDown = false;

let stack: Stack;
let upstream: Server;
let owner: Person;
let member: Person;
let tenantId: string;
let gateway: { endpoint: string; public_client_id: string };

beforeAll(async () => {
  stack = await sharedStack();
  [owner, member] = await Promise.all([signUp(stack, "owner@pets.example"), signUp(stack, "member@pets.example")]);
  ({ tenant_id: tenantId } = await openWorkspace(stack, owner, "Pets"));
  await addMember(stack, tenantId, member);
  gateway = (await call("POST", "/v1/mcp-gateway", undefined, owner)).body;
  upstream = createServer(serve).listen(0, "127.0.0.1");
  await new Promise((done) => upstream.once("listening", done));
  const server = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stack.hosts.put({
    "mcp.pets.example": { addresses: [publicAddress], server },
    "api.pets.example": { addresses: [publicAddress], server },
    "inside.pets.example": { addresses: [publicAddress, "10.0.0.8"], server },
    "metadata.pets.example": { addresses: ["169.254.169.254"], server },
  });
  await stack.queuePoller.idle();
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

/** An MCP server below /mcp and an API below /v1, which take the good credentials; below /other a page, below /away a redirect. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const secret = (request.headers.authorization ?? "").replace("Bearer ", "") || String(request.headers["x-key"] ?? "");
  seen.add(secret);
  if (isDown) return void response.writeHead(503).end();
  if (request.url?.startsWith("/other")) return void response.setHeader("content-type", "text/html").end("<html>");
  if (request.url?.startsWith("/away")) {
    return void response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  }
  if (!good.has(secret)) return void response.writeHead(401).end();
  if (request.url?.startsWith("/v1")) return void response.setHeader("content-type", "application/json").end("[1]");
  void mcp(request as never, response);
}

const mcp = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: "pets", version: "1.0.0" });
    const inputSchema = z.object({ pet: z.string() });
    server.registerTool("feed", { description: "Feeds a pet", inputSchema }, async ({ pet }) => ({
      content: [{ type: "text", text: `${pet} is fed` }],
    }));
    return server;
  }),
);

async function call(method: string, at: string, body?: unknown, person = member) {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}`, "content-type": "application/json" };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(stack.at("api") + at, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

const pets = {
  name: "pets",
  target_mode: "mcp_server",
  endpoint: "https://mcp.pets.example/mcp",
  auth: { kind: "bearer", secret: "first-secret" },
};
const document = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://api.pets.example/v1" }],
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "all" } } } } },
};

async function registered(body: object): Promise<string> {
  const { status, body: answer } = await call("POST", path, body);
  expect([status, answer.error?.message, answer.state]).toEqual([202, undefined, "creating"]);
  await stack.queuePoller.idle();
  expect((await call("GET", `${path}/${answer.server_id}`)).body).toMatchObject({ state: "ready" });
  return answer.server_id;
}

describe("an MCP server", () => {
  let serverId: string;
  let token: string;

  beforeAll(async () => {
    serverId = await registered(pets);
    token = await connectorToken(gateway, member);
  });

  const feed = () => ask(gateway.endpoint, token, "tools/call", { name: "pets___feed", arguments: { pet: "Rex" } });

  test("an MCP server is called by a member through the gateway, with the workspace's credential", async () => {
    const listed = await ask(gateway.endpoint, token, "tools/list");
    expect(listed.message.result.tools.map(({ name }: { name: string }) => name)).toContain("pets___feed");
    expect((await feed()).message.result.content).toEqual([{ type: "text", text: "Rex is fed" }]);
    expect(seen).toContain("first-secret");
  });

  test("an MCP server is verified with its tools", async () => {
    const { status, body } = await call("POST", `${path}/${serverId}/verify`);
    expect([status, body]).toEqual([200, expect.objectContaining({ verified: true, tool_count: 1, tools: ["feed"] })]);
  });

  test("an MCP server gets a new credential without being registered again, and a bad credential is refused before any change", async () => {
    const bad = await call("PUT", `${path}/${serverId}`, { auth: { kind: "bearer", secret: "wrong" } });
    expect([bad.status, bad.body.error.message]).toEqual([400, expect.stringContaining("credential_refused")]);
    good.add("second-secret");
    expect(
      (await call("PUT", `${path}/${serverId}`, { auth: { kind: "bearer", secret: "second-secret" } })).status,
    ).toBe(202);
    await stack.queuePoller.idle();
    good.delete("first-secret");
    expect((await call("GET", `${path}/${serverId}`)).body).toMatchObject({ state: "ready", version: 2 });
    expect((await feed()).message.result.content[0].text).toBe("Rex is fed");
  });

  test("an MCP server's calls are in its log, with names of arguments but no values, and in no other integration's log", async () => {
    const { body } = await call("GET", `${path}/${serverId}/logs`);
    expect(body.data[0]).toEqual({
      at: expect.any(String),
      caller_id: member.sub,
      tool: "feed",
      arguments: ["pet"],
      outcome: "ok",
      ms: expect.any(Number),
    });
    expect(JSON.stringify(body)).not.toContain("Rex");
    const filtered = await call("GET", `${path}/${serverId}/logs?outcome=refused`);
    expect(filtered.body).toEqual({ data: [] });
  });

  test("an MCP server leaves nothing behind when it is removed", async () => {
    const id = await registered({ ...pets, name: "cats", auth: { kind: "bearer", secret: "second-secret" } });
    expect((await call("DELETE", `${path}/${id}`)).status).toBe(202);
    await stack.queuePoller.idle();
    expect((await call("GET", `${path}/${id}`)).status).toBe(404);
    const left = JSON.stringify(stack.agentcore.list());
    expect(left).toContain("pets");
    expect(left).not.toContain("cats");
    expect(left).not.toContain(id);
  });
});

describe("an API", () => {
  test("an API's document is uploaded, registered with a key in its own header, verified and called", async () => {
    const text = JSON.stringify(document);
    good.add("api-key");
    const { body: upload } = await call("POST", "/v1/mcp-specs", { bytes: Buffer.byteLength(text) });
    const put = await fetch(upload.upload_url, { method: "PUT", body: text });
    expect(put.status).toBe(200);
    const auth = { kind: "api_key", secret: "api-key", name: "x-key" };
    const id = await registered({ name: "api", target_mode: "openapi", spec_uri: upload.spec_uri, auth });
    expect((await call("POST", `${path}/${id}/verify`)).body).toMatchObject({ verified: true, tools: ["listPets"] });
    const token = await connectorToken(gateway, member);
    const { message } = await ask(gateway.endpoint, token, "tools/call", { name: "api___listPets", arguments: {} });
    expect(message.result.isError ?? false).toBe(false);
  });

  test("an API that is down is registered with an unchecked credential, and the integration says so until it is verified", async () => {
    good.add("untried-key");
    const auth = { kind: "api_key", secret: "untried-key", name: "x-key" };
    const id = await registered({ name: "down", target_mode: "openapi", spec: document, auth });
    expect((await call("GET", `${path}/${id}`)).body.verification).toBeUndefined();
    isDown = true;
    const answer = await call("PUT", `${path}/${id}`, { auth: { ...auth, secret: "mistyped" } });
    isDown = false;
    const untried = { verified: false, reason: "upstream_failed", message: expect.any(String) };
    expect(answer).toMatchObject({ status: 202, body: { verification: untried } });
    await stack.queuePoller.idle();
    expect((await call("GET", `${path}/${id}`)).body).toMatchObject({ state: "ready", verification: untried });
    expect((await call("POST", `${path}/${id}/verify`)).body).toMatchObject({ reason: "credential_refused" });
  });
});

describe("what may not be registered", () => {
  test.each([
    [
      "a name with a private address beside a public one",
      { endpoint: "https://inside.pets.example/mcp" },
      "address_not_public",
    ],
    ["a name of the metadata's address", { endpoint: "https://metadata.pets.example/mcp" }, "address_not_public"],
    ["a name that nobody has", { endpoint: "https://nobody.pets.example/mcp" }, "unreachable"],
    ["a redirect", { endpoint: "https://mcp.pets.example/away" }, "redirected"],
    ["a page", { endpoint: "https://mcp.pets.example/other" }, "not_mcp"],
    ["a refused credential", { auth: { kind: "bearer", secret: "wrong" } }, "credential_refused"],
    ["no credential where one is wanted", { auth: { kind: "none" } }, "credential_missing"],
  ])("an MCP server is not registered with %s", async (_, change, reason) => {
    const { status, body } = await call("POST", path, { ...pets, name: "bad", ...change });
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining(reason)]);
  });

  test.each([
    ["a server inside", { ...document, servers: [{ url: "https://inside.pets.example/v1" }] }, "server_not_public"],
    ["Swagger 1", { swagger: "1.2" }, "version_unsupported"],
    ["a remote reference", { ...document, paths: { "/pets": { $ref: "https://x.example/a" } } }, "external_reference"],
  ])("an API's document with %s is not registered", async (_, spec, reason) => {
    const { status, body } = await call("POST", path, { name: "bad", target_mode: "openapi", spec });
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining(reason)]);
  });

  test("another workspace's document cannot be registered, and nothing of the attempt is stored", async () => {
    const { body } = await call("POST", "/v1/mcp-specs", { bytes: 10 });
    const foreign = body.spec_uri.replace(tenantId, "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d");
    expect((await call("POST", path, { name: "bad", target_mode: "openapi", spec_uri: foreign })).status).toBe(400);
    const { body: list } = await call("GET", path);
    expect(list.data.map(({ name }: { name: string }) => name)).not.toContain("bad");
  });
});

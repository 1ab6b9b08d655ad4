// What may not be registered, and servers that do not behave: each is refused with a reason while the request lasts, and leaves nothing.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import {
  askControl,
  outsideOf,
  readyGateway,
  type ToolWorkspace,
  toolWorkspace,
} from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const path = "/v1/mcp-servers";
const publicAddress = "93.184.215.14";

let stack: Stack;
let upstream: Server;
let workspace: ToolWorkspace;
let before: unknown;

/** Names by what they lead to; the last one is good at the first look-up alone. */
const addresses: Record<string, string[] | string[][]> = {
  "public.example": [publicAddress],
  "loopback.example": ["127.0.0.1"],
  "loopback6.example": ["::1"],
  "link-local.example": ["169.254.1.1"],
  "metadata.example": ["169.254.169.254"],
  "metadata6.example": ["fd00:ec2::254"],
  "private.example": ["10.0.0.8"],
  "mapped.example": ["::ffff:10.0.0.8"],
  "nat64.example": ["64:ff9b::a00:8"],
  "both.example": [publicAddress, "192.168.0.1"],
  "changing.example": [[publicAddress], ["127.0.0.1"]],
};

beforeAll(async () => {
  stack = await sharedStack();
  workspace = await toolWorkspace(stack, "owner@bad.example");
  await readyGateway(stack, workspace.owner);
  upstream = createServer(misbehave).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  before = await outsideOf(stack, workspace.tenantId);
});
beforeAll(() => putNames());
afterEach(async () => {
  const { body } = await askControl(stack, workspace.owner, "GET", path);
  expect(body.data).toEqual([]);
  expect(await outsideOf(stack, workspace.tenantId)).toEqual(before);
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

function putNames(): void {
  const server = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stack.hosts.put(
    Object.fromEntries(Object.entries(addresses).map(([name, list]) => [name, { addresses: list, server }])),
  );
}

const askedHosts: string[] = [];

function misbehave({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
  askedHosts.push(headers.host ?? "");
  const pages: Record<string, () => void> = {
    "/slow": () => {},
    "/page": () => response.setHeader("content-type", "text/html").end("<html>Welcome</html>"),
    "/away": () => response.writeHead(302, { location: "https://loopback.example/mcp" }).end(),
    "/large": () => response.setHeader("content-type", "application/json").end("[".repeat(10 * 1_048_576)),
    "/endless": () => {
      response.setHeader("content-type", "text/event-stream");
      const more = () => !response.destroyed && response.write(`: ${"a".repeat(65_536)}\n`, () => setImmediate(more));
      more();
    },
    "/broken": () => response.setHeader("content-type", "application/json").end('{"jsonrpc":"2.0",'),
    "/failing": () => response.writeHead(500).end("no"),
  };
  (pages[url] ?? (() => response.writeHead(404).end()))();
}

async function refusal(body: object): Promise<[status: number, message: string]> {
  const answer = await askControl(stack, workspace.owner, "POST", path, { name: "bad", ...body });
  return [answer.status, answer.body.error?.message ?? ""];
}

const server = (endpoint: string) => ({ target_mode: "mcp_server", endpoint, auth: { kind: "none" } });

describe("an address", () => {
  test.each(Object.keys(addresses).filter((name) => !["public.example", "changing.example"].includes(name)))(
    "an address whose name leads to a private network is refused: %s",
    async (name) => {
      expect(await refusal(server(`https://${name}/mcp`))).toEqual([
        400,
        expect.stringContaining("address_not_public"),
      ]);
    },
  );

  test("an address whose name leads to a private network at the second look-up is not called", async () => {
    putNames();
    const [status, message] = await refusal(server("https://changing.example/mcp"));
    expect([status, message]).toEqual([400, expect.stringMatching(/address_not_public|unreachable/)]);
    expect(askedHosts).not.toContain("changing.example");
  });

  test.each([
    "https://127.0.0.1/mcp",
    "https://[::1]/mcp",
    "https://169.254.169.254/latest/meta-data",
    "https://[::ffff:169.254.169.254]/",
    "https://[64:ff9b::7f00:1]/",
    "https://2130706433/",
    "https://0x7f.1/",
    "http://public.example/mcp",
    "file:///etc/passwd",
    "https://user:word@public.example/mcp",
    "mcp",
    "",
  ])("an address that may not be called is refused: %s", async (endpoint) => {
    expect(await refusal(server(endpoint))).toEqual([400, expect.stringContaining("endpoint")]);
  });
});

describe("a server", () => {
  test.each([
    ["that says nothing", "/slow", "too_slow"],
    ["that answers with a page", "/page", "not_mcp"],
    ["that leads elsewhere", "/away", "redirected"],
    ["that answers with ten megabytes", "/large", "too_large"],
    ["that never ends", "/endless", "too_large"],
    ["that breaks off", "/broken", "not_mcp"],
    ["that fails", "/failing", /not_mcp|failed|unreachable/],
    ["that has nothing there", "/nowhere", "not_mcp"],
  ])("a server %s is refused at its registration", async (_, at, reason) => {
    expect(await refusal(server(`https://public.example${at}`))).toEqual([400, expect.stringMatching(reason)]);
  });
});

const operation = (id: string | undefined, more: object = {}) => ({
  get: { ...(id !== undefined && { operationId: id }), responses: { 200: { description: "ok" } }, ...more },
});
const document = (paths: object, more: object = {}) => ({
  openapi: "3.0.3",
  info: { title: "Bad", version: "1" },
  servers: [{ url: "https://public.example/v1" }],
  paths,
  ...more,
});
const withSchema = (schema: object, schemas: object = {}) =>
  document(
    {
      "/a": { post: { operationId: "a", requestBody: { content: { "application/json": { schema } } }, responses: {} } },
    },
    { components: { schemas } },
  );
const withFile = document({ "/a": { put: { requestBody: { content: { "image/png": {} }, required: true } } } });
const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, place) => [`/p${place}`, operation(`p${place}`)]));

describe("a document", () => {
  test.each([
    ["that refers to another one", withSchema({ $ref: "https://public.example/a.json" }), "external_reference"],
    ["of Swagger 1", { swagger: "1.2", info: {}, paths: {} }, "version_unsupported"],
    ["of files only", withFile, "media_type"],
    [
      "of a server inside",
      document({ "/a": operation("a") }, { servers: [{ url: "https://private.example/" }] }),
      "server_not_public",
    ],
    ["that is a text", "hello", "spec"],
    ["that is a list", [], "spec"],
    ["that is empty", {}, "spec"],
  ])("an OpenAPI document %s is refused at its registration", async (_, spec, reason) => {
    expect(await refusal({ target_mode: "openapi", spec })).toEqual([400, expect.stringContaining(reason)]);
  });
});

test("an uploaded document with 5,000 operations is refused", async () => {
  const text = JSON.stringify(document(many));
  const { body } = await askControl(stack, workspace.owner, "POST", "/v1/mcp-specs", {
    bytes: Buffer.byteLength(text),
  });
  expect((await fetch(body.upload_url, { method: "PUT", body: text })).status).toBe(200);
  before = await outsideOf(stack, workspace.tenantId);
  const asked = { target_mode: "openapi", spec_uri: body.spec_uri };
  expect(await refusal(asked)).toEqual([400, expect.stringContaining("too_many_operations")]);
});

test("an integration is not registered without a gateway, and the refusal says who creates it", async () => {
  const other = await toolWorkspace(stack, "nobody@bad.example");
  const { status, body } = await askControl(stack, other.owner, "POST", path, {
    name: "bad",
    ...server("https://public.example/mcp"),
  });
  expect([status, body.error.message]).toEqual([409, expect.stringContaining("POST /v1/mcp-gateway")]);
});

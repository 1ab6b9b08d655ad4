// OpenAPI documents as frameworks and vendors write them, through the whole stack: what a check says, what is offered, and how an API is called.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { askControl, readyGateway, type ToolWorkspace, toolWorkspace } from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const path = "/v1/mcp-servers";

let stack: Stack;
let api: Server;
let workspace: ToolWorkspace;
let gateway: Awaited<ReturnType<typeof readyGateway>>;
let sent: { request: string; type: string | undefined; body: string }[];

beforeAll(async () => {
  stack = await sharedStack();
  workspace = await toolWorkspace(stack, "owner@documents.example");
  gateway = await readyGateway(stack, workspace.owner);
  api = createServer(async (request, response) => {
    const body = await text(request);
    sent.push({ request: `${request.method} ${request.url}`, type: request.headers["content-type"], body });
    response.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  await new Promise((done) => api.once("listening", done));
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  stack.hosts.put({ "api.documents.example": { addresses: ["93.184.215.14"], server } });
});
beforeEach(() => {
  sent = [];
});
afterAll(() => {
  api.closeAllConnections();
  api.close();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read into it
const call = (method: string, at: string, body?: object): Promise<{ status: number; body: any }> =>
  askControl(stack, workspace.owner, method, at, body);

const string = { type: "string" };
/** An order as FastAPI and NestJS describe one: optional members are unions with null, nested ones references in allOf. */
const schemas = {
  Address: {
    type: "object",
    properties: { street: string, zip: { anyOf: [string, { type: "null" }] } },
    required: ["street"],
  },
  Order: {
    type: "object",
    properties: {
      id: { ...string, readOnly: true },
      to: { allOf: [{ $ref: "#/components/schemas/Address" }], description: "Where to" },
      note: { anyOf: [string, { type: "null" }] },
      payment: {
        oneOf: [
          { title: "Card", properties: { card: string }, required: ["card"] },
          { title: "Iban", properties: { iban: string } },
        ],
      },
    },
    required: ["id", "to"],
  },
};
const orders = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "1" },
  paths: {
    "/orders": {
      post: {
        operationId: "create_order_orders_post",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } },
        },
      },
      get: {
        operationId: "listOrders",
        parameters: [
          {
            name: "pageable",
            in: "query",
            schema: {
              type: "object",
              properties: { page: { type: "integer" }, sort: { type: "array", items: string } },
            },
          },
          { name: "filter", in: "query", style: "deepObject", schema: { type: "object" } },
        ],
      },
    },
    "/orders/{id}": {
      patch: {
        parameters: [{ name: "id", in: "path", required: true, schema: string }],
        requestBody: {
          content: {
            "application/x-www-form-urlencoded": {
              schema: { properties: { tags: { type: "array", items: string }, note: string } },
            },
          },
        },
      },
    },
    "/orders/{id}/invoice": {
      put: {
        parameters: [{ name: "id", in: "path", required: true, schema: string }],
        requestBody: { required: true, content: { "application/pdf": {} } },
      },
    },
  },
  components: { schemas },
};
const base_url = "https://api.documents.example/v1";

test("a document of a framework becomes tools that call the API as the document says, and its report is kept", async () => {
  const missing = await call("POST", "/v1/mcp-specs/check", { spec: orders });
  expect([missing.status, missing.body.error.message]).toEqual([400, expect.stringContaining("give it as base_url")]);
  const checked = await call("POST", "/v1/mcp-specs/check", { spec: orders, base_url });
  expect(checked.body).toMatchObject({ base_url, taken: 1, taken_with_loss: 2, not_offered: 1 });
  expect(sent).toEqual([]);

  const asked = { name: "orders", target_mode: "openapi", spec: orders, base_url };
  const { status, body } = await call("POST", path, asked);
  expect([status, body.error]).toEqual([202, undefined]);
  await stack.queuePoller.idle();
  const server = (await call("GET", `${path}/${body.server_id}`)).body;
  expect(server).toMatchObject({
    state: "ready",
    base_url,
    tools: { all: ["listOrders", "create_order_orders_post", "patch_orders_id"] },
  });
  expect((await call("GET", `${path}/${body.server_id}/report`)).body).toEqual(checked.body);

  const token = await connectorToken(gateway, workspace.owner);
  const use = async (tool: string, given: object) => {
    const { message } = await ask(gateway.endpoint, token, "tools/call", {
      name: `orders___${tool}`,
      arguments: given,
    });
    expect([tool, message.result?.isError ?? false]).toEqual([tool, false]);
  };
  await use("create_order_orders_post", { to: { street: "Main" }, payment: { iban: "DE1" } });
  await use("listOrders", { page: 2, sort: ["a", "b"] });
  await use("patch_orders_id", { id: "7/8", tags: ["x", "y"], note: "a & b" });
  expect(sent).toEqual([
    { request: "POST /v1/orders", type: "application/json", body: '{"to":{"street":"Main"},"payment":{"iban":"DE1"}}' },
    { request: "GET /v1/orders?page=2&sort=a&sort=b", type: undefined, body: "" },
    {
      request: "PATCH /v1/orders/7%2F8",
      type: "application/x-www-form-urlencoded",
      body: "tags=x&tags=y&note=a+%26+b",
    },
  ]);

  // A later version renames an operation and leaves one out.
  const { get } = orders.paths["/orders"];
  const later = { ...orders, paths: { "/orders": { get: { ...get, operationId: "findOrders" }, delete: {} } } };
  const difference = await call("POST", "/v1/mcp-specs/check", { spec: later, base_url, server_id: body.server_id });
  expect(difference.body.difference).toEqual({
    added: ["delete_orders"],
    removed: ["create_order_orders_post", "patch_orders_id"],
    altered: [],
  });
  const alone = await call("PUT", `${path}/${body.server_id}`, { operations: { methods: ["GET"] } });
  expect([alone.status, alone.body.error.message]).toEqual([400, expect.stringContaining("spec: is needed")]);
  const changed = await call("PUT", `${path}/${body.server_id}`, { spec: later, operations: { methods: ["GET"] } });
  expect(changed.body).toMatchObject({ base_url, operations: { methods: ["GET"] }, tools: { all: ["listOrders"] } });
});

test("a large document is uploaded, and some of its operations are chosen", async () => {
  const description = "x".repeat(2_000);
  const paths = Object.fromEntries(
    Array.from({ length: 2_500 }, (_, place) => [
      `/things/${place}`,
      { get: { description, tags: [place < 2 ? "few" : "many"] } },
    ]),
  );
  const document = JSON.stringify({
    swagger: "2.0",
    info: { title: "Large", version: "1" },
    host: "api.documents.example",
    schemes: ["https"],
    paths,
  });
  expect(document.length).toBeGreaterThan(5_000_000);
  const { body: upload } = await call("POST", "/v1/mcp-specs", { bytes: Buffer.byteLength(document) });
  expect((await fetch(upload.upload_url, { method: "PUT", body: document })).status).toBe(200);
  const { spec_uri } = upload;
  const whole = await call("POST", "/v1/mcp-specs/check", { spec_uri });
  expect(whole.body.error.message).toContain("choose with operations");
  const unknown = await call("POST", "/v1/mcp-specs/check", { spec_uri, operations: { tags: ["few", "none"] } });
  expect(unknown.body.error.message).toContain("operations.tags.1: fits no operation");
  const few = await call("POST", path, {
    name: "large",
    target_mode: "openapi",
    spec_uri,
    operations: { tags: ["few"] },
  });
  expect([few.status, few.body.tools.all]).toEqual([202, ["get_things_0", "get_things_1"]]);
});

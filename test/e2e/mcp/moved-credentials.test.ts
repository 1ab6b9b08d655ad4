// A credential that the owner gave, and what a developer of the workspace tries in order to read it: each change of where or how it travels
// is refused, and a server of the developer's own sees nothing of it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addMember, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { askControl, readyGateway, registerServer, toolWorkspace } from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const path = "/v1/mcp-servers";
const secret = "OWNERS-SECRET-9";

let stack: Stack;
let server: Server;
let owner: Person;
let developer: Person;
let gateway: { endpoint: string; public_client_id: string };
/** Requests that reached a server of the developer's own. */
const taken: string[] = [];
let ids: Record<string, string>;

beforeAll(async () => {
  stack = await sharedStack();
  const workspace = await toolWorkspace(stack, "owner@moved.example");
  ({ owner } = workspace);
  developer = await signUp(stack, "developer@moved.example");
  await addMember(stack, workspace.tenantId, developer);
  server = createServer(serve).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const there = { addresses: ["93.184.215.14"], server: at() };
  const names = ["api.notion.com", "api.search.brave.com", "api.pets.example", "evil.example", "evil.api.pets.example"];
  stack.hosts.put(Object.fromEntries(names.map((name) => [name, there])));
  gateway = await readyGateway(stack, owner);
  const bearer = { kind: "bearer", secret };
  ids = {
    notion: await registerServer(stack, owner, { provider_id: "notion", secret }),
    "brave-search": await registerServer(stack, owner, { provider_id: "brave-search", secret }),
    pets: await registerServer(stack, owner, { name: "pets", target_mode: "openapi", spec: document(), auth: bearer }),
  };
}, 60_000);
afterAll(async () => {
  await askControl(stack, owner, "DELETE", "/v1/mcp-gateway");
  await stack.queuePoller.idle();
  server.closeAllConnections();
  server.close();
});

const at = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The API repeats the query, as searches do. The hosts of the developer, and addresses of this machine, are noted. */
function serve({ url = "/", headers }: IncomingMessage, response: ServerResponse): void {
  const { host = "" } = headers;
  if (host.includes("evil") || host.startsWith("127.0.0.1")) taken.push(JSON.stringify([url, headers]));
  response.setHeader("content-type", "application/json").end(JSON.stringify({ object: "user", asked: url }));
}

function document(servers: readonly string[] = ["https://api.pets.example/v1"], search = "/search") {
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1" },
    servers: servers.map((url) => ({ url })),
    paths: { [search]: { get: { operationId: "search", responses: { 200: { description: "found" } } } } },
  };
}

async function change(name: string, body: object, person = developer) {
  const { status, body: answer } = await askControl(stack, person, "PUT", `${path}/${ids[name]}`, body);
  await stack.queuePoller.idle();
  const { message, details: { error_code: code, fields } = {} } = answer.error ?? {};
  return { status, code, message, fields };
}

async function called(name: string): Promise<string> {
  const token = await connectorToken(gateway, developer);
  const { message } = await ask(gateway.endpoint, token, "tools/call", { name, arguments: { query: "cats" } });
  return JSON.stringify(message.result);
}

describe("a setting of a provider's server", () => {
  test.each([
    ["notion", "BASE_URL", "https://evil.example"],
    ["notion", "BASE_URL", "http://127.0.0.1"],
    ["notion", "BASE_URL", "http://169.254.169.254/latest/meta-data?x="],
    ["notion", "BАSE_URL", "https://evil.example"],
    ["notion", "base_url", "https://evil.example"],
    ["notion", "OPENAPI_MCP_HEADERS", '{"Authorization":"Bearer other"}'],
    ["notion", "ENABLE_TOKEN_PASSTHROUGH", "true"],
    ["notion", "HTTPS_PROXY", "http://evil.example:443"],
    ["notion", "https_proxy", "http://evil.example:443"],
    ["notion", "NODE_EXTRA_CA_CERTS", "/tmp/evil.pem"],
    ["notion", "BASH_ENV", "/tmp/evil"],
    ["brave-search", "BRAVE_API_KEY", "other"],
    ["brave-search", "brave_api_key", "other"],
    ["brave-search", "BRAVE_API_KEY_FILE", "/proc/self/environ"],
    ["brave-search", "BRAVE_MCP_TRANSPORT", "http"],
    ["brave-search", "ΒRAVE_MCP_LOG_LEVEL", "info"],
    ["brave-search", "BRAVE_MCP_LOG_LEVEL", "https://evil.example"],
  ])("a setting of the server of %s is refused by its name: %s=%s", async (provider, name, value) => {
    taken.length = 0;
    const value_ = value === "http://127.0.0.1" ? at() : value;
    const { status, code, fields } = await change(provider, { extra_env_entries: [{ name, value: value_ }] });
    const tool = provider === "notion" ? "notion___API-get-self" : "brave-search___brave_web_search";
    await called(tool);
    expect({ status, code, field: fields?.[0]?.path, taken }).toEqual({
      status: 400,
      code: "invalid_request",
      field: expect.stringMatching(/^extra_env_entries\.0\.(name|value)$/),
      taken: [],
    });
  });
});

describe("an API's credential", () => {
  const bearer = { kind: "bearer" };
  test.each([
    ["the query, which the API repeats", { auth: { kind: "api_key", location: "query", name: "q" } }],
    ["another header", { auth: { kind: "api_key", name: "x-echo" } }],
    ["the same header without its prefix", { auth: { kind: "api_key", name: "Authorization" } }],
    ["another host", { spec: document(["https://evil.example/v1"]), auth: bearer }],
    ["another path of its host", { spec: document(["https://api.pets.example/v2"]) }],
    ["another port of its host", { spec: document(["https://api.pets.example:8443/v1"]) }],
    ["its host without the path", { spec: document(["https://api.pets.example"]) }],
  ])("an API's credential is not sent to %s unless it is given again", async (_, body) => {
    taken.length = 0;
    const { status, code, fields } = await change("pets", body);
    const answer = await called("pets___search");
    expect({ status, code, field: fields?.[0]?.path, taken }).toEqual({
      status: 409,
      code: "secret_missing",
      field: "auth.secret",
      taken: [],
    });
    expect(answer).not.toContain(secret);
    expect((await change("pets", body, owner)).code).toBe("secret_missing");
  });

  test("an API's credential stays at its host if a document names a further one: tools call one address", async () => {
    taken.length = 0;
    const { status } = await change("pets", {
      spec: document(["https://api.pets.example/v1", "https://evil.example"]),
    });
    expect(status).toBe(202);
    expect(await called("pets___search")).toContain("/v1/search");
    expect(taken).toEqual([]);
  });

  test.each([
    ["continues the host's name", ".evil.example/x"],
    ["makes the host a user's name", "@evil.example/x"],
    ["names a host", "//evil.example/x"],
    ["names a host by backslashes", "/\\evil.example/x"],
    ["leaves the server's path", "/../v2/x"],
    ["leaves it in other letters", "/%2E%2e/v2/x"],
  ])("an API's credential is not sent along a path of a document that %s", async (_, search) => {
    taken.length = 0;
    const { status, message } = await change("pets", { spec: document(undefined, search) });
    await called("pets___search");
    expect({ status, message, taken }).toEqual({
      status: 400,
      message: expect.stringContaining("path_invalid"),
      taken: [],
    });
  });

  test("an API's credential is kept if a change does not send it elsewhere", async () => {
    const { status } = await change("pets", { spec: document(undefined, "/find"), auth: bearer });
    expect(status).toBe(202);
    expect(await called("pets___search")).toContain("/v1/find");
  });

  test("an API's credential is used at a new address if it is sent again", async () => {
    const auth = { kind: "api_key", location: "query", name: "q", secret: "DEVELOPERS-OWN" };
    expect((await change("pets", { auth })).status).toBe(202);
    const answer = await called("pets___search");
    expect(answer).toContain("q=DEVELOPERS-OWN");
    expect(answer).not.toContain(secret);
  });
});

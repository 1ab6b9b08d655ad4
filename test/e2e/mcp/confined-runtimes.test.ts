// The runtimes of the marketplace in the local stack: whatever a provider's server is made to ask for, it reaches the provider's own hosts alone.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { runtimeFiles } from "../../../components/mcp-gateway/runtime-program.ts";
import { runtimeProviders } from "../../../domain/marketplace/providers.ts";
import { RuntimeProcess } from "../../../emulators/agentcore/runtime/runtime-process.ts";
import type { Stack } from "../../../local/stack.ts";
import { reach } from "../../support/mcp/reaching-program.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const notion = runtimeProviders.find(({ provider_id }) => provider_id === "notion");
const outside = { addresses: ["93.184.215.14"] };
const asked: string[] = [];
/** Where the API leads each request on to. */
let redirect: string | undefined;

let stack: Stack;
let server: Server;
let address: string;

/** A provider's server that does what it is told. */
const program = `
import { createInterface } from "node:readline";
${reach}
const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "reach", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "reach", inputSchema: { type: "object" } }] }),
  "tools/call": async ({ arguments: { how, to } }) => ({ content: [{ type: "text", text: await reach(how, to) }] }),
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = results[method] ? { result: await results[method](params) } : { error: { code: -32601, message: "no" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

beforeAll(async () => {
  stack = await sharedStack();
  server = createServer(({ headers, url }, response) => {
    asked.push(`${headers.host}${url} ${headers.authorization ?? ""}`.trim());
    if (redirect !== undefined) response.writeHead(302, { location: redirect });
    else response.setHeader("content-type", "application/json");
    response.end('{"object":"user","name":"Notion bot"}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = { "api.notion.com": outside, "evil.example": outside, "inside.example": { addresses: ["127.0.0.1"] } };
  stack.hosts.put(
    Object.fromEntries(Object.entries(names).map(([name, of]) => [name, { ...of, server: `http://${address}` }])),
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A runtime with the files of the provider's archive, some of them replaced, and variables that no setting could give it. */
async function withRuntime<T>(
  { files = {}, environment = {} }: { files?: Record<string, string>; environment?: Record<string, string> },
  use: (call: (name: string, given: Record<string, unknown>) => Promise<string>) => Promise<T>,
): Promise<T> {
  if (!notion) throw new Error("there is no provider notion");
  const all = { ...runtimeFiles(notion), ...files };
  const code = new Map(Object.entries(all).map(([path, text]) => [path, Buffer.from(text)]));
  const { port: edgePort } = new URL(stack.at("api"));
  const runtime = new RuntimeProcess({
    code,
    entryPoint: ["main.js"],
    environment,
    edgePort: Number(edgePort),
    log: () => {},
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${await runtime.port}/mcp`)));
    return await use(async (name, given) =>
      JSON.stringify((await client.callTool({ name, arguments: given })).content),
    );
  } finally {
    await client.close().catch(() => {});
    await runtime.close();
  }
}

describe("a provider's server that is told to leave", () => {
  const own = "api.notion.com:443";

  test("a provider's server reaches its own host, but not this machine, the metadata address or another host", async () => {
    asked.length = 0;
    const targets = [address, "127.0.0.1:443", "localhost:443", "169.254.169.254:80", "169.254.169.254:443"];
    const others = [...targets, "evil.example:443", "inside.example:443", "api.notion.com:8443"];
    await withRuntime({ files: { "server/index.js": program } }, async (call) => {
      for (const how of ["fetch", "fetch by TLS", "http", "https", "net"]) {
        for (const to of others)
          expect([how, to, await call("reach", { how, to })]).toEqual([how, to, expect.stringContaining("EACCES")]);
      }
      expect(asked).toEqual([]);
      for (const how of ["fetch by TLS", "https"]) expect(await call("reach", { how, to: own })).toContain("reached");
      expect(asked).toEqual(["api.notion.com/", "api.notion.com/"]);
    });
  });

  test("a provider's server reaches nothing if its own host's name leads to a private network", async () => {
    const files = {
      "server/index.js": program,
      "provider.json": '{"variables":[],"hosts":["inside.example"]}',
    };
    asked.length = 0;
    const outcome = await withRuntime({ files }, (call) => call("reach", { how: "https", to: "inside.example:443" }));
    expect([outcome, asked]).toEqual([expect.stringContaining("EACCES"), []]);
  });
});

describe("Notion's server", () => {
  const token = { NOTION_TOKEN: "OWNERS-SECRET-9" };

  test.each([
    ["BASE_URL", () => `http://${address}`],
    ["BASE_URL", () => "https://evil.example"],
    ["HTTPS_PROXY", () => `http://${address}`],
    ["OPENAPI_MCP_HEADERS", () => '{"authorization":"Bearer other"}'],
  ])("Notion's server gets no variable %s, even if the runtime has it", async (name, value) => {
    asked.length = 0;
    const environment = { ...token, [name]: value() };
    const answer = await withRuntime({ environment }, (call) => call("API-get-self", {}));
    expect(answer).toContain("Notion bot");
    expect(asked).toEqual(["api.notion.com/v1/users/me Bearer OWNERS-SECRET-9"]);
  });

  test("Notion's server follows its API to no other host", async () => {
    const answers: string[] = [];
    asked.length = 0;
    await withRuntime({ environment: token }, async (call) => {
      for (const to of [
        "https://evil.example/",
        "http://evil.example/",
        `http://${address}/`,
        "http://api.notion.com/",
      ]) {
        redirect = to;
        answers.push(await call("API-get-self", {}).catch(String));
      }
    }).finally(() => {
      redirect = undefined;
    });
    expect(answers.filter((answer) => answer.includes("Notion bot"))).toEqual([]);
    expect(asked).toEqual(answers.map(() => "api.notion.com/v1/users/me Bearer OWNERS-SECRET-9"));
  });

  test("Notion's server reaches no address that a variable would give it", async () => {
    asked.length = 0;
    const files = { "provider.json": '{"variables":["NOTION_TOKEN","BASE_URL"],"hosts":["api.notion.com"]}' };
    for (const BASE_URL of [`http://${address}`, "https://evil.example", "http://169.254.169.254"]) {
      const environment = { ...token, BASE_URL };
      const answer = await withRuntime({ files, environment }, (call) => call("API-get-self", {}).catch(String));
      expect(answer).not.toContain("Notion bot");
    }
    expect(asked).toEqual([]);
  });
});

import { deflateRawSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { AgentCore } from "../../../agentcore/agentcore.ts";
import { unzipped } from "../../../agentcore/runtime/zip.ts";
import { Hosts } from "../../../hosts.ts";
import { Secrets } from "../../../secrets-manager/secrets.ts";
import { Store } from "../../../store.ts";
import { agentCore } from "../../support/agentcore.ts";
import { type RunningEndpoint, startEndpoint } from "../../support/aws-endpoint.ts";
import { allow, aRole, resources, roleArn } from "../../support/declared-iam.ts";

const region = "eu-central-1";

/** An MCP server of the earlier era, as a bundle would be one: its tool tells what the process has. */
const server = `
import { createServer } from "node:http";
import { greeting } from "./lib/greeting.mjs";
const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: greeting, inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: Object.keys(process.env).sort().join() }] }),
};
createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const { id, method } = JSON.parse(text);
  response.setHeader("content-type", "application/json");
  if (id === undefined) return response.writeHead(202).end();
  const answer = results[method] ? { result: results[method]() } : { error: { code: -32601, message: "no" } };
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}).listen(8000, "0.0.0.0");
`;

let store: Store;
let endpoint: RunningEndpoint;
let agentcore: AgentCore;
let code: Map<string, Buffer>;

beforeEach(async () => {
  store = new Store(":memory:");
  code = new Map([
    ["index.mjs", Buffer.from(server)],
    ["lib/greeting.mjs", Buffer.from(`export const greeting = process.env.GREETING;`)],
  ]);
  endpoint = await startEndpoint({
    resources: resources(
      aRole("gateway", [allow("bedrock-agentcore:InvokeAgentRuntime", "*")]),
      aRole("poor", []),
      aRole("runtime", []),
    ),
    services: ({ clock, iam, calls, credentials }) => {
      const hosts = new Hosts({ edgePort: () => 0, awsUrl: () => endpoint.url, isOnEdge: () => false });
      agentcore = agentCore({
        store,
        clock,
        iam,
        calls,
        credentials,
        secrets: new Secrets({ store, clock }),
        fetch: hosts.fetch,
        codeAt: () => code,
      });
      return [agentcore];
    },
  });
});

afterEach(async () => {
  await agentcore.close();
  await endpoint.close();
  store.close();
});

function settle(): void {
  endpoint.clock.advance(60_000);
}

const definition = (GREETING: string) => ({
  agentRuntimeArtifact: {
    codeConfiguration: {
      code: { s3: { bucket: "code", prefix: "notes.zip" } },
      runtime: "NODE_22" as const,
      entryPoint: ["index.mjs"],
    },
  },
  roleArn: roleArn("runtime"),
  protocolConfiguration: { serverProtocol: "MCP" as const },
  lifecycleConfiguration: { idleRuntimeSessionTimeout: 900, maxLifetime: 28_800 },
  environmentVariables: { GREETING },
});

/** A gateway of a role, with the runtime as its target. Gives the target once it has settled. */
async function targetOf(runtimeArn: string, role: string) {
  const { id } = agentcore.gateways.create(
    region,
    {
      name: role,
      roleArn: roleArn(role),
      authorizerType: "CUSTOM_JWT",
      authorizerConfiguration: { customJWTAuthorizer: { discoveryUrl: "https://x/.well-known/openid-configuration" } },
    },
    undefined,
    {},
  );
  settle();
  const endpoint = `https://bedrock-agentcore.${region}.amazonaws.com/runtimes/${encodeURIComponent(runtimeArn)}/invocations?qualifier=DEFAULT`;
  const { id: targetId } = agentcore.targets.create(
    agentcore.gateways.get(id),
    {
      name: "notes",
      targetConfiguration: { mcp: { mcpServer: { endpoint } } },
      credentialProviderConfigurations: [
        {
          credentialProviderType: "GATEWAY_IAM_ROLE",
          credentialProvider: { iamCredentialProvider: { service: "bedrock-agentcore" } },
        },
      ],
    },
    undefined,
  );
  return { gatewayId: id, settled: () => settled(id, targetId) };
}

async function settled(gatewayId: string, targetId: string) {
  await agentcore.targets.idle();
  settle();
  const { status, live, statusReasons } = agentcore.targets.get(gatewayId, targetId);
  return { status, tools: live?.tools.map(({ tool }) => tool.name), reason: statusReasons?.[0] };
}

test("a gateway calls the runtime signed by its role, and the newest version of the runtime answers", async () => {
  const runtime = agentcore.runtimes.create(
    { region, name: "notes", clientToken: undefined, tags: {} },
    definition("hello"),
  );
  settle();
  const target = await targetOf(runtime.arn, "gateway");
  expect(await target.settled()).toEqual({ status: "READY", tools: ["hello"], reason: undefined });
  agentcore.runtimes.update(agentcore.runtimes.get(runtime.id), definition("bye"));
  settle();
  const [found] = agentcore.targets.of(target.gatewayId);
  if (found) agentcore.targets.synchronize(found);
  expect(await target.settled()).toMatchObject({ status: "READY", tools: ["bye"] });
});

test("a gateway whose role lacks the right cannot call the runtime", async () => {
  const runtime = agentcore.runtimes.create(
    { region, name: "notes", clientToken: undefined, tags: {} },
    definition("hello"),
  );
  settle();
  const { status, reason } = await (await targetOf(runtime.arn, "poor")).settled();
  expect({ status, reason }).toEqual({ status: "FAILED", reason: expect.stringMatching(/InvokeAgentRuntime|403/) });
});

test("a runtime whose code ends at once makes the call fail", async () => {
  code = new Map([["index.mjs", Buffer.from("process.exit(3);")]]);
  const runtime = agentcore.runtimes.create(
    { region, name: "notes", clientToken: undefined, tags: {} },
    definition("hello"),
  );
  settle();
  const { status, reason } = await (await targetOf(runtime.arn, "gateway")).settled();
  expect({ status, reason }).toEqual({ status: "FAILED", reason: expect.stringMatching(/424|ended with code 3/) });
});

test("a ZIP archive is read, with stored and with deflated files", () => {
  const files = unzipped(zip({ "index.mjs": "export {};", "lib/long.txt": "x".repeat(5_000) }));
  expect([...files].map(([path, content]) => [path, content.length])).toEqual([
    ["index.mjs", 10],
    ["lib/long.txt", 5_000],
  ]);
  expect(() => unzipped(Buffer.from("no archive at all"))).toThrow("no ZIP archive");
});

/** A ZIP archive: short files are stored, long ones deflated. */
function zip(files: Record<string, string>): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path);
    const method = text.length > 100 ? 8 : 0;
    const content = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const sizes = Buffer.alloc(30);
    sizes.writeUInt32LE(0x04034b50);
    sizes.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt32LE(text.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    locals.push(sizes, name, content);
    entries.push(entry, name);
    offset += 30 + name.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...entries, end]);
}

// What stands behind the gateway: the public server-everything over Streamable HTTP, an API of two operations, which wants a key, and the API
// that a provider's server asks, which runs in a runtime of its own and speaks standard input and output.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Stack } from "../../../local/stack.ts";
import { freePorts } from "../../support/free-ports.ts";
import { startProviderApis } from "../../support/mcp/provider-apis.ts";
import { modules } from "../commands.ts";

const everything = join(modules, "@modelcontextprotocol", "server-everything", "dist", "index.js");
const publicAddress = "93.184.215.14";
export const apiKey = "pets-api-key-1";
export const providerKey = "tavily-api-key-1";

export const names = { everything: "mcp.everything.example", pets: "api.pets.example" } as const;

const pet = {
  type: "object",
  properties: { id: { type: "string" }, name: { type: "string" } },
  required: ["id", "name"],
};
const json = (schema: object) => ({ description: "found", content: { "application/json": { schema } } });

export const document = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1.0.0" },
  servers: [{ url: `https://${names.pets}/v1` }],
  paths: {
    "/pets": {
      get: { operationId: "listPets", summary: "All pets", responses: { 200: json({ type: "array", items: pet }) } },
    },
    "/pets/{id}": {
      get: {
        operationId: "getPet",
        summary: "One pet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { 200: json(pet) },
      },
    },
  },
};

export type Upstreams = { close(): void };

/** Starts them, and has the stack reach them by their public names. */
export async function serveUpstreams(stack: Stack): Promise<Upstreams> {
  const api = createServer(answer).listen(0, "127.0.0.1");
  await once(api, "listening");
  const [port = 0] = await freePorts(1);
  const server = await startEverything(port);
  stack.hosts.put({
    [names.pets]: { addresses: [publicAddress], server: addressOf(api) },
    [names.everything]: { addresses: [publicAddress], server: `http://127.0.0.1:${port}` },
  });
  const providers = await startProviderApis(stack);
  providers.good.add(providerKey);
  return {
    close() {
      providers.close();
      server.kill();
      api.closeAllConnections();
      api.close();
    },
  };
}

/** It says where it listens on its standard error. */
async function startEverything(port: number): Promise<ChildProcess> {
  const env = { PATH: process.env.PATH ?? "", PORT: String(port) };
  const child = spawn(process.execPath, [everything, "streamableHttp"], { env, stdio: ["ignore", "ignore", "pipe"] });
  process.once("exit", () => child.kill());
  let written = "";
  await new Promise<void>((listens, fails) => {
    child.stderr.on("data", (chunk: Buffer) => {
      written += chunk;
      if (written.includes("listening on port")) listens();
    });
    child.once("exit", () => fails(new Error(`server-everything ended: ${written}`)));
  });
  return child;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  if (headers["x-api-key"] !== apiKey) return void response.writeHead(401).end('{"error":"no key"}');
  const [, id] = /^\/v1\/pets\/([^/?]+)/.exec(url) ?? [];
  if (id !== undefined) return void response.end(JSON.stringify({ id, name: `Pet ${id}` }));
  if (/^\/v1\/pets(\?|$)/.test(url)) return void response.end(JSON.stringify([{ id: "1", name: "Rex" }]));
  response.writeHead(404).end("{}");
}

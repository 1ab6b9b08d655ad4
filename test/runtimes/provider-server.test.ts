// The bridge's other side: a provider's server as a process, started with the first question and anew when it has ended.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "@jest/globals";
import { ProviderServer } from "../../runtimes/provider-server.ts";

/** Speaks MCP over lines, tells its variables, and ends when it is asked to. */
const program = `
import { createInterface } from "node:readline";
const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "tell", inputSchema: { type: "object" } }] }),
  "tools/call": ({ name }) => name === "end" ? process.exit(1) : ({ content: [{ type: "text", text: Object.keys(process.env).sort().join() + " " + process.pid }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = results[method] ? { result: results[method](params) } : { error: { code: -32601, message: "no" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;
const folder = mkdtempSync(join(tmpdir(), "archway-provider-"));
const file = join(folder, "server.mjs");
writeFileSync(file, program);
afterAll(() => rmSync(folder, { recursive: true }));

const told = async (server: ProviderServer) => {
  const { content } = await server.call({ name: "tell", arguments: {} });
  const [part] = content;
  const text = part?.type === "text" ? part.text : "";
  return text.split(" ");
};

test("has the settings and none of the role's credentials, and is one process for many calls", async () => {
  const environment = { TOKEN: "x", AWS_ACCESS_KEY_ID: "k", AWS_SESSION_TOKEN: "t", MISSING: undefined };
  const server = new ProviderServer(pathToFileURL(file), environment);
  expect((await server.list(undefined)).tools.map(({ name }) => name)).toEqual(["tell"]);
  const [variables, process] = await told(server);
  expect(variables).toContain("TOKEN");
  expect(variables).not.toMatch(/AWS_|MISSING/);
  expect((await told(server))[1]).toBe(process);
  await server.close();
});

test("is started anew after it has ended in the middle of a call", async () => {
  const server = new ProviderServer(pathToFileURL(file), {});
  const [, process] = await told(server);
  await expect(server.call({ name: "end", arguments: {} })).rejects.toThrow();
  expect((await told(server))[1]).not.toBe(process);
  await server.close();
});

test("that does not start is tried again with the next question", async () => {
  const missing = join(folder, "later.mjs");
  const server = new ProviderServer(pathToFileURL(missing), {});
  await expect(server.list(undefined)).rejects.toThrow();
  writeFileSync(missing, program);
  expect((await server.list(undefined)).tools).toHaveLength(1);
  await server.close();
});

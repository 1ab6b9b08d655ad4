// The bridge's other side: a provider's server as a process, started with the first question and anew when it has ended.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "@jest/globals";
import { ProviderServer } from "../../runtimes/provider-server.ts";

/** Speaks MCP over lines, tells its variables, and ends when it is asked to. */
const program = `
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
const codeOf = (begin) => { try { begin(); return "done"; } catch ({ code }) { return code; } };
const begun = () => [
  () => spawn(process.execPath, ["--version"]),
  () => spawnSync(process.execPath, ["--version"]),
  () => new Worker("", { eval: true }),
  () => writeFileSync(import.meta.filename + ".written", ""),
].map(codeOf).join(" ");
const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "tell", inputSchema: { type: "object" } }] }),
  "tools/call": ({ name }) => name === "end" ? process.exit(1) : ({ content: [{ type: "text", text: name === "begin" ? begun() : Object.keys(process.env).sort().join() + " " + process.pid + " " + globalThis.isPreloaded }] }),
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

const preload = new URL("data:text/javascript,globalThis.isPreloaded=true");
const started = (program: string, environment = {}, variables: string[] = []) =>
  new ProviderServer(pathToFileURL(program), { environment, variables, preload });

const told = async (server: ProviderServer, name = "tell") => {
  const { content } = await server.call({ name, arguments: {} });
  const [part] = content;
  const text = part?.type === "text" ? part.text : "";
  return text.split(" ");
};

test("a provider's server has only the named variables and none of the role's credentials, and one process serves many calls", async () => {
  const environment = {
    TOKEN: "x",
    AWS_ACCESS_KEY_ID: "k",
    HTTPS_PROXY: "http://evil.example",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    MISSING: undefined,
  };
  const server = started(file, environment, ["TOKEN", "MISSING"]);
  expect((await server.list(undefined)).tools.map(({ name }) => name)).toEqual(["tell"]);
  const [variables, process, isPreloaded] = await told(server);
  expect(variables).toContain("TOKEN");
  expect(variables).not.toMatch(/AWS_|PROXY|REJECT|MISSING/);
  expect(isPreloaded).toBe("true");
  expect((await told(server))[1]).toBe(process);
  await server.close();
});

test("a provider's server starts no process and no thread, and writes no file", async () => {
  const server = started(file);
  expect(new Set(await told(server, "begin"))).toEqual(new Set(["ERR_ACCESS_DENIED"]));
  await server.close();
});

test("a provider's server is started again after it has ended in the middle of a call", async () => {
  const server = started(file);
  const [, process] = await told(server);
  await expect(server.call({ name: "end", arguments: {} })).rejects.toThrow();
  expect((await told(server))[1]).not.toBe(process);
  await server.close();
});

test("a provider's server that does not start is started again for the next request", async () => {
  const missing = join(folder, "later.mjs");
  const server = started(missing);
  await expect(server.list(undefined)).rejects.toThrow();
  writeFileSync(missing, program);
  expect((await server.list(undefined)).tools).toHaveLength(1);
  await server.close();
});

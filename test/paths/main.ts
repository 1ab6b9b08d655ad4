// `npm run paths`: how many source files each main path of the product enters, in the local stack. A file is entered if a function of it
// is called on the way; what runs when a function is loaded does not count. `npm run paths -- --files` names them.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { BroadcastChannel } from "node:worker_threads";
import { consoleToken } from "../../local/demo/app-client.ts";
import { callControlPlane, openWorkspace, signUp } from "../../local/demo/workspace.ts";
import { startLocal } from "../../local/stack.ts";
import { askControl, readyGateway, registerServer } from "../support/mcp/tool-workspace.ts";
import { ask } from "../support/proxy-client.ts";
import { skillWorkspace } from "../support/skills/skill-workspace.ts";
import type { Told } from "./coverage.ts";
import { EnteredFiles } from "./entered-files.ts";

const { values } = parseArgs({ options: { files: { type: "boolean", default: false } } });
const asked = new BroadcastChannel("asked");
const told = new BroadcastChannel("told");
/** Time enough for each instance to tell what was called in it. */
const tellingMs = 2_000;

const stack = await startLocal({ port: 0, ephemeral: true, sandbox: "none" });
const upstream = createServer((_, response) => response.setHeader("content-type", "application/json").end("[1]"));
upstream.listen(0, "127.0.0.1");
await new Promise((done) => upstream.once("listening", done));
const found: [path: string, all: Told[]][] = [];
try {
  const server = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stack.hosts.put({ "api.pets.example": { addresses: ["93.184.215.14"], server } });
  // The first one of each pair finds the functions cold; the second one finds them loaded, and knows nobody whom they remember.
  for (const path of [streamedMessage, registeredServer, skillRun, meteredHour]) {
    await (await path("first"))();
    const act = await path("second");
    await called();
    await act();
    found.push([path.name, await called()]);
  }
} finally {
  upstream.close();
  asked.close();
  told.close();
  await stack.stop();
}
const entered = new EnteredFiles();
for (const [path, all] of found) print(path, all);

/** The functions that each instance has called since it was last asked. */
async function called(): Promise<Told[]> {
  const all: Told[] = [];
  told.onmessage = ({ data }) => void all.push(data as Told);
  asked.postMessage("");
  await pause(tellingMs);
  return all;
}

/** Prepares the path for a workspace of its own, and gives what is to be looked at. */
async function streamedMessage(name: string): Promise<() => Promise<void>> {
  const owner = await signUp(stack, `${name}@messages.example`);
  const { slug } = (await openWorkspace(stack, owner, `${name} of messages`)) as { slug: string };
  const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 50 };
  const input = { name: "a key", kind: "service_account", grant };
  const { key } = (await callControlPlane(stack, await consoleToken(stack, owner), "POST", "/v1/keys", input)) as {
    key: string;
  };
  return async () => {
    const response = await ask(stack, {}, { slug, key });
    if (response.status !== 200) throw new Error(await response.text());
    await response.text();
    await pause(500);
  };
}

async function registeredServer(name: string): Promise<() => Promise<void>> {
  const owner = await signUp(stack, `${name}@servers.example`);
  await openWorkspace(stack, owner, `${name} of servers`);
  await readyGateway(stack, owner);
  const spec = {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "https://api.pets.example/v1" }],
    paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "all" } } } } },
  };
  const auth = { kind: "bearer", secret: "a secret" };
  await askControl(stack, owner, "GET", "/v1/mcp-servers");
  return async () => void (await registerServer(stack, owner, { name: "pets", target_mode: "openapi", spec, auth }));
}

async function skillRun(name: string): Promise<() => Promise<void>> {
  const workspace = await skillWorkspace(stack, `${name}-skills`);
  await workspace.activate("greet", await workspace.upload("greet", "echo hello\n"));
  return async () => {
    const { body } = await workspace.start("greet");
    const { status } = await workspace.ended("greet", body.run_id);
    if (status !== "succeeded") throw new Error(`the run is ${status}`);
  };
}

async function meteredHour(name: string): Promise<() => Promise<void>> {
  await (await streamedMessage(`${name}-metered`))();
  stack.clock.advance(2 * 3_600_000);
  return async () => {
    await stack.schedules.run("meter");
    await stack.queuePoller.idle();
  };
}

function print(path: string, all: Told[]): void {
  const byFunction = new Map<string, string[]>();
  // The script itself signs people in on the way.
  for (const each of all.filter(({ functionName }) => !functionName.startsWith("triggers"))) {
    const folder = each.functionName.replace(/-[a-z0-9]+$/, "");
    const files = entered.of(folder, each);
    if (files.length > 0) byFunction.set(folder, [...new Set([...(byFunction.get(folder) ?? []), ...files])]);
  }
  const files = [...new Set([...byFunction.values()].flat())].sort();
  const layers = Map.groupBy(files, (file) => file.split("/")[0] ?? "");
  const counts = (of: Iterable<[string, string[]]>) =>
    [...of].map(([name, { length }]) => `${name} ${length}`).join(", ");
  console.log(`${path}: ${files.length} files (${counts(layers)}); functions: ${counts(byFunction)}`);
  if (values.files) for (const file of files) console.log(`  ${file}`);
}

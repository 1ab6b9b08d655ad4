// `npm run clients:newest`: what has changed in the world of clients since the last run. It installs the newest version of each client, plays the
// scenarios with it, and compares what the newest clients send with the table of fields (domain/catalog/message-fields.ts).
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { startLocal } from "../../../local/stack.ts";
import { openAccounts } from "../accounts.ts";
import type { Opened } from "../headless.ts";
import type { NewestClient } from "./client.ts";
import { newestClients } from "./clients.ts";
import { unclassedOfSdk } from "./fields.ts";
import { newestModels } from "./models.ts";
import { page } from "./page.ts";
import { play } from "./play.ts";
import { install } from "./registries.ts";
import { type ClientResult, changes, merged, nothing, type Results, wordsOf } from "./results.ts";
import { ofModel, type Scenario, type ScenarioName, scenarioNames, scenarios } from "./scenarios.ts";
import { playSilences } from "./silence.ts";
import { playTerminals } from "./terminals.ts";
import { playUnknownFields } from "./unknown-fields.ts";

const usage = `Usage: npm run clients:newest -- [options]

  --client NAME     only this client, or those with this in their name; may be given more than once
  --scenario NAME   only this scenario; may be given more than once
  --fields          only the newest SDK's fields against the table, and 1,000 bodies with unknown nested fields
  --terminals       only \`npm run clients -- --mode terminal\` with the newest assistants; \`--client\` takes its names
  --silence         only what clients see of a silent model host; 15 minutes
  --keep            stores what was found in test/clients/newest/last-run.json and docs/newest-clients.md
  --folder DIR      where the clients are installed, and stay for the next run; in the system's folder for temporary files unless given
`;

const { values } = parseArgs({
  options: {
    client: { type: "string", multiple: true, default: [""] },
    scenario: { type: "string", multiple: true, default: [] },
    fields: { type: "boolean", default: false },
    silence: { type: "boolean", default: false },
    terminals: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    folder: { type: "string", default: join(tmpdir(), "archway-newest") },
    help: { type: "boolean", default: false },
  },
});
const sdk: NewestClient | undefined = newestClients.find(({ packages }) => packages[0] === "@anthropic-ai/sdk");
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const [lastRun, writtenPage] = [file("last-run.json"), file("../../../docs/newest-clients.md")];
const say = (line: string) => void process.stdout.write(`${line}\n`);

if (values.help) process.stdout.write(usage);
else if (values.terminals)
  process.exitCode = playTerminals(join(values.folder, "terminals"), values.client.filter(Boolean));
else process.exitCode = await main();

async function main(): Promise<number> {
  const before = stored();
  const now: Results = { ...nothing, day: new Date().toISOString().slice(0, 10) };
  const failures: string[] = [];
  if (values.silence) now.silences = await playSilences(chosen(), installed, say);
  else if (values.fields) failures.push(...(await fieldsAlone()));
  else failures.push(...(await everyClient(now)));
  const changed = changes(before, now);
  say(`\nSince ${before.day || "no run before"}: ${changed.length === 0 ? "nothing has changed" : ""}`);
  for (const line of changed) say(`  ${line}`);
  for (const line of failures) say(`FAIL ${line}`);
  if (values.keep) keep(now);
  return failures.length === 0 ? 0 : 1;
}

function stored(): Results {
  try {
    return JSON.parse(readFileSync(lastRun, "utf8"));
  } catch {
    return nothing;
  }
}

function keep({ day, clients, silences }: Results): void {
  const before = stored();
  const found = { ...before.clients };
  for (const [name, client] of Object.entries(clients)) found[name] = merged(found[name], client);
  const order = newestClients.map(({ name }) => name).filter((name) => found[name] !== undefined);
  const results: Results = {
    day,
    clients: Object.fromEntries(order.map((name) => [name, found[name] as ClientResult])),
    silences: [...before.silences.filter(({ client }) => !silences.some((one) => one.client === client)), ...silences],
  };
  writeFileSync(lastRun, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(writtenPage, page(results));
}

function chosen(): NewestClient[] {
  const isNamed = (part: string) => newestClients.some(({ name }) => name === part);
  return newestClients.filter(({ name }) =>
    values.client.some((part) => (isNamed(part) ? name === part : name.includes(part))),
  );
}

/** @throws Error with the registry's words */
function installed(client: NewestClient): { modules: string; version: string } {
  const own = join(
    values.folder,
    client.name
      .replace(/ \(.*/, "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-"),
  );
  const { folder, version } = install(client.registry, own, client.packages, client.program ?? "");
  return { modules: folder, version };
}

/** Names each field of the newest SDK that nobody has classed, and plays bodies with fields that nobody knows. */
async function fieldsAlone(): Promise<string[]> {
  if (!sdk) throw new Error("no client is the vendor's SDK");
  const { modules, version } = installed(sdk);
  const unclassed = unclassedOfSdk(join(modules, "node_modules"));
  say(`@anthropic-ai/sdk ${version}: ${unclassed.length} fields of its requests are not classed`);
  const opened = await open();
  try {
    return [...unclassed.map((field) => `nobody has classed ${field}`), ...(await playUnknownFields(opened, say))];
  } finally {
    await opened.stack.stop();
  }
}

async function everyClient(now: Results): Promise<string[]> {
  const opened = await open();
  try {
    for (const client of chosen()) {
      now.clients[client.name] = await playClient(opened, client);
      if (values.keep) keep(now);
    }
  } finally {
    await opened.stack.stop();
  }
  return Object.entries(now.clients).flatMap(([name, { outcomes, unclassed }]) => [
    ...Object.entries(outcomes).flatMap(([scenario, outcome]) =>
      outcome.is === "FAIL" ? [`${name}, ${scenario}: ${wordsOf(outcome)}`] : [],
    ),
    ...unclassed.map((field) => `${name}: nobody has classed ${field}`),
  ]);
}

async function open(): Promise<Opened> {
  const stack = await startLocal({ port: 0, ephemeral: true });
  return { stack, accounts: await openAccounts(stack) };
}

async function playClient(opened: Opened, client: NewestClient): Promise<ClientResult> {
  const [name = ""] = client.packages;
  const result: ClientResult = { registry: client.registry, package: name, outcomes: {}, leftOut: [], unclassed: [] };
  const [unclassed, leftOut] = [new Set<string>(), new Set<string>()];
  try {
    const { modules, version } = installed(client);
    result.version = version;
    if (client === sdk) for (const field of unclassedOfSdk(join(modules, "node_modules"))) unclassed.add(field);
    for (const [scenarioName, scenario, model] of wanted()) {
      const { is, why, exchanges, unclassed: fields } = await play(opened, client, scenario, { model, modules });
      result.outcomes[scenarioName] = { is, ...(why !== undefined && { why: withoutAddress(why) }) };
      for (const field of fields) unclassed.add(field);
      for (const { dropped = "" } of exchanges) for (const part of dropped.split(", ")) if (part) leftOut.add(part);
      say(`${is.padEnd(6)} ${client.name} ${version}, ${scenarioName}${why ? `: ${why}` : ""}`);
    }
  } catch (error) {
    result.missing = error instanceof Error ? error.message : String(error);
    say(`missing ${client.name}: ${result.missing}`);
  }
  return { ...result, leftOut: [...leftOut].sort(), unclassed: [...unclassed].sort() };
}

/** Each scenario with the model that it asks. */
function wanted(): [ScenarioName, Scenario, model: string][] {
  const models = newestModels(catalogData);
  const usual = models.find((model) => model.includes("sonnet")) ?? "";
  const all: [ScenarioName, Scenario, string][] = [
    ...scenarioNames.map((name): [ScenarioName, Scenario, string] => [name, scenarios[name], usual]),
    ...models
      .filter((model) => model !== usual)
      .map((model): [ScenarioName, Scenario, string] => [`newest: ${model}`, ofModel(model), model]),
  ];
  return all.filter(([name]) => values.scenario.length === 0 || values.scenario.includes(name));
}

/** The ports of a run are its own. */
function withoutAddress(words: string): string {
  return words.replaceAll(/https?:\/\/[\w.:]+/g, "...");
}

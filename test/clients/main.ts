// `npm run clients`: clients from npm, unmodified, against a stack of this machine; prints a table and keeps it in docs/clients.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Stack, startLocal } from "../../local/stack.ts";
import { type Account, type AccountName, openAccounts } from "./accounts.ts";
import { run } from "./child.ts";
import { clients } from "./commands.ts";
import { judge, type Run, seconds } from "./judge.ts";
import { type Recorder, record } from "./recorder.ts";
import { lineOf, page, type Result, table } from "./report.ts";
import { type ClientName, clientNames, readableFiles, type Scenario, scenarios, secretOfTheFile } from "./scenarios.ts";

const timeoutMs = 90_000;
/** Of one scenario; `/context` takes 27. More is a client that goes round in a circle. */
const mostExchanges = 100;
const usage = `Usage: npm run clients -- [options]

  --client NAME     only this client; may be given more than once
  --scenario TEXT   only scenarios with this in their name
  --record FILE     every exchange, as lines of JSON
  --date DAY        what docs/clients.md says when it was made; today unless given
`;

const { values } = parseArgs({
  options: {
    client: { type: "string", multiple: true, default: [...clientNames] },
    scenario: { type: "string", default: "" },
    record: { type: "string" },
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  process.stdout.write(usage);
} else {
  await main();
}

async function main(): Promise<void> {
  const chosen = clientNames.filter((name) => values.client.includes(name));
  const everything = chosen.length === clientNames.length && values.scenario === "";
  const results: Result[] = [];
  process.once("SIGINT", () => process.exit(130));
  const [usual, answering402] = [await open({}), await open({ "archway:budgetStatus": "402" })];
  try {
    for (const client of chosen) {
      for (const scenario of scenarios.filter(({ name }) => name.includes(values.scenario))) {
        if (!scenario.clients.includes(client)) continue;
        const result = await play(scenario.budgetStatus === 402 ? answering402 : usual, client, scenario);
        results.push(result);
        process.stdout.write(`${lineOf(result)}\n`);
      }
    }
  } finally {
    await Promise.all([usual, answering402].map(({ stack }) => stack.stop()));
  }
  process.stdout.write(`\n${table(results)}\n`);
  if (everything)
    writeFileSync(fileURLToPath(new URL("../../docs/clients.md", import.meta.url)), page(results, values.date));
  process.exitCode = results.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

type Open = { stack: Stack; accounts: Record<AccountName, Account> };

async function open(config: Record<string, string>): Promise<Open> {
  const stack = await startLocal({ port: 0, ephemeral: true, config });
  return { stack, accounts: await openAccounts(stack) };
}

async function play({ stack, accounts }: Open, client: ClientName, scenario: Scenario): Promise<Result> {
  const place = mkdtempSync(join(tmpdir(), "archway-client-"));
  const { slug, credential, headers } = accounts[scenario.account ?? "granted"];
  const recorder = await record(stack.edge);
  const folders = { home: join(place, "home"), folder: join(place, "work") };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  for (const name of readableFiles) writeFileSync(join(folders.folder, name), `${secretOfTheFile}\n`);
  const played: Run = { client, finished: [], exchanges: recorder.exchanges, silence: 0 };
  try {
    if (scenario.fault) stack.bedrock.fail(scenario.fault);
    let sessionId: string | undefined;
    const baseUrl = `${recorder.address}/@${slug}.proxy/vendor`;
    for (const step of scenario.steps) {
      const { command, sessionId: told } = clients[client];
      const started = command(step, { baseUrl, credential, headers, ...folders, sessionId }, scenario);
      const watch = watchStep(recorder);
      const finished = await run(started, watch.signal);
      played.silence = Math.max(played.silence, watch.end());
      played.finished.push(finished);
      sessionId = told?.exec(finished.output)?.[1] ?? sessionId;
      if (finished.killed !== undefined) break;
    }
  } finally {
    await recorder.close();
    stack.bedrock.clear();
    rmSync(place, { recursive: true, force: true });
  }
  const result = { client, scenario, run: played, problems: judge(scenario, played) };
  if (values.record) writeFileSync(values.record, recordOf(result), { flag: "a" });
  return result;
}

/**
 * Looks after a step: its signal ends what takes too long or asks too much; `end` gives the longest time between two bytes on
 * the wire, from the step's first one until it ended, 0 if there was none.
 */
function watchStep({ lastByte, exchanges }: Recorder): { signal: AbortSignal; end(): number } {
  const controller = new AbortController();
  const startedAt = performance.now();
  let longest = 0;
  const look = () => {
    const last = lastByte();
    if (last > startedAt) longest = Math.max(longest, performance.now() - last);
    if (performance.now() - startedAt > timeoutMs) controller.abort(`after ${seconds(timeoutMs)}`);
    if (exchanges.length > mostExchanges) controller.abort(`after ${mostExchanges} requests`);
  };
  const timer = setInterval(look, 250);
  const end = () => {
    look();
    clearInterval(timer);
    return longest;
  };
  return { signal: controller.signal, end };
}

function recordOf({ client, scenario, run: { exchanges, finished }, problems }: Result): string {
  const lines = exchanges.map((exchange) => ({ client, scenario: scenario.name, ...exchange }));
  const ends = finished.map((step) => ({ client, scenario: scenario.name, problems, ...step }));
  return [...lines, ...ends].map((line) => `${JSON.stringify(line)}\n`).join("");
}

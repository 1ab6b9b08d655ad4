// `npm run clients`: clients from npm, unmodified, against a stack of this machine; prints tables and keeps them in docs/clients.md.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startLocal } from "../../local/stack.ts";
import { freeCallbacks } from "../support/token-helper/token-helper.ts";
import { openAccounts } from "./accounts.ts";
import type { Cell } from "./cell.ts";
import { type Opened, playHeadless } from "./headless.ts";
import { lineOf, page, tables } from "./report.ts";
import { type ClientName, clientNames, scenarios } from "./scenarios.ts";
import { isAssistant } from "./terminals/assistants.ts";
import { playTerminal } from "./terminals/play.ts";
import { playRefusal, refusals } from "./terminals/refusals.ts";
import { terminalScenarios } from "./terminals/scenarios.ts";
import { desk } from "./terminals/seat.ts";
import { terminals } from "./terminals/terminal.ts";

const usage = `Usage: npm run clients -- [options]

  --client NAME     only this client; may be given more than once
  --scenario TEXT   only scenarios with this in their name
  --mode MODE       only without a terminal (headless) or in one (terminal)
  --record FILE     every exchange and what the terminal showed at the end, as lines of JSON
  --date DAY        what docs/clients.md says when it was made; today unless given
  --no-page         leaves docs/clients.md as it is
`;

const { values } = parseArgs({
  options: {
    client: { type: "string", multiple: true, default: [...clientNames] },
    scenario: { type: "string", default: "" },
    mode: { type: "string" },
    record: { type: "string" },
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
    "no-page": { type: "boolean", default: false },
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
  const everything = chosen.length === clientNames.length && values.scenario === "" && values.mode === undefined;
  const cells: Cell[] = [];
  process.once("SIGINT", () => process.exit(130));
  const open = terminals();
  const [usual, answering402] = [await opened({}), await opened({ "archway:budgetStatus": "402" })];
  try {
    for (const client of chosen) {
      for await (const cell of cellsOf(client, usual, answering402, open)) {
        cells.push(cell);
        process.stdout.write(`${lineOf(cell)}\n`);
        if (values.record) writeFileSync(values.record, recordOf(cell), { flag: "a" });
      }
    }
  } finally {
    await Promise.all([usual, answering402].map(({ stack }) => stack.stop()));
  }
  process.stdout.write(`\n${tables(cells)}\n`);
  if (everything && !values["no-page"])
    writeFileSync(fileURLToPath(new URL("../../docs/clients.md", import.meta.url)), page(cells, values.date));
  process.exitCode = cells.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

/** A stack whose token helper comes back at ports that nobody else on this machine uses. */
async function opened(config: Record<string, string>): Promise<Opened> {
  const stack = await startLocal({ port: 0, ephemeral: true, config: { ...(await freeCallbacks()), ...config } });
  return { stack, accounts: await openAccounts(stack) };
}

async function* cellsOf(
  client: ClientName,
  usual: Opened,
  answering402: Opened,
  open: ReturnType<typeof terminals>,
): AsyncGenerator<Cell> {
  const isWanted = ({ name }: { name: string }) => name.includes(values.scenario);
  if (values.mode !== "terminal") {
    for (const scenario of scenarios.filter(isWanted)) {
      if (!scenario.clients.includes(client)) continue;
      yield await playHeadless(scenario.budgetStatus === 402 ? answering402 : usual, client, scenario);
    }
  }
  if (!isAssistant(client)) return;
  const desks = { usual: await desk(usual, open), answering402: await desk(answering402, open) };
  for (const refusal of refusals.filter(isWanted)) {
    const at = refusal.budgetStatus === 402 ? desks.answering402 : desks.usual;
    for (const [mode, way] of refusal.places(client)) {
      if (values.mode === undefined || values.mode === mode) yield await playRefusal(at, client, refusal, mode, way);
    }
  }
  if (values.mode === "headless") return;
  for (const scenario of terminalScenarios.filter(isWanted)) {
    if (!scenario.assistants.includes(client)) continue;
    for (const way of scenario.ways ?? (["setup"] as const))
      yield await playTerminal(desks.usual, client, scenario, way);
  }
}

function recordOf({ exchanges, ...cell }: Cell): string {
  const { client, way, mode, scenario } = cell;
  const lines = exchanges.map(({ body: _, ...exchange }) => ({ client, way, mode, scenario, ...exchange }));
  return [...lines, cell].map((line) => `${JSON.stringify(line)}\n`).join("");
}

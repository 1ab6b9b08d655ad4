// `npm run clients:afternoon`: one person works with Claude Code for an afternoon of sixty turns, on a stack that is restarted in the middle.
// No turn may stay without its answer, and the ledger must hold what the model host has counted.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import { type Stack, startLocal } from "../../../local/stack.ts";
import { accounted, settled } from "../../support/accounting/accounting.ts";
import { freePorts } from "../../support/free-ports.ts";
import { freeCallbacks, Helper } from "../../support/token-helper/token-helper.ts";
import { failures } from "../cell.ts";
import { isFailure, isProbe } from "../judge.ts";
import { record } from "../recorder.ts";
import { subagentName } from "../scenarios.ts";
import { assistants } from "./assistants.ts";
import { bare, Someone } from "./person.ts";
import { signedIn } from "./seat.ts";
import { terminals } from "./terminal.ts";

const turns = 60;
const dataFolder = mkdtempSync(join(tmpdir(), "archway-afternoon-"));
const [port = 0] = await freePorts(1);
const config = await freeCallbacks();
const start = () => startLocal({ port, dataFolder, config });
const problems: string[] = [];
const counted = { requests: 0, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

let stack: Stack = await start();
const recorder = await record(stack.edge);
const client = assistants["claude-code"];
const me = new Someone({ open: terminals(), recorder, assistant: client });
const newHelper = await Helper.build(stack.at("api"));
const seat = await signedIn({ newHelper: () => newHelper() }, "claude-code", demo().developer);
seat.rewrite(stack.edge, recorder.address);
// The token has to be old enough that a refusal of it may be cured by another one.
seat.age(600_000);

const shows = (what: string) => () => bare(me.text).includes(bare(what));

async function ask(question: string, answer = `You asked: ${question}`): Promise<void> {
  if (!(await me.ask(question, shows(answer)))) problems.push(`no answer to "${question}"`);
}

/** Events besides the questions, by the turn before which each happens. */
const events: Record<number, () => Promise<unknown>> = {
  10: () => me.ask("/effort high"),
  16: () => me.ask("/compact"),
  22: () => me.ask("/model opus"),
  30: restart,
  36: expire,
  42: () => me.ask("/compact"),
  48: spend,
  52: () => me.ask("/effort low"),
  55: () => me.ask("/model sonnet"),
};

try {
  const subagents = { [subagentName]: { description: "Thinks about arches", prompt: "You think about arches." } };
  await me.start(seat.command(["--permission-mode", "default", "--agents", JSON.stringify(subagents)]));
  for (let turn = 1; turn <= turns; turn += 1) {
    await events[turn]?.();
    if (turn % 10 === 3) await ask(`Turn ${turn}: use the tool Read once.`, "The tool Read answered");
    else if (turn % 10 === 6) await ask(`Turn ${turn}: use the tool Bash once.`, "The tool Bash answered");
    else if (turn % 20 === 9)
      await ask(`${"Think about arches. ".repeat(11)}Use the tool Agent once.`, "The tool Agent answered");
    else await ask(`Turn ${turn}: and a vault?`);
    process.stdout.write(`${turn} `);
  }
  await me.quit();
} finally {
  await me.close();
}
await accounted(stack);
count();
const owner = await consoleToken(stack, demo().owner);
const answer = await fetch(`${stack.at("api")}/v1/usage`, { headers: { authorization: `Bearer ${owner}` } });
const { data } = (await answer.json()) as { data: Record<string, number>[] };
const sum = (...names: string[]) =>
  data.flatMap((row) => names.map((name) => row[name] ?? 0)).reduce((all, one) => all + one, 0);
const booked = {
  requests: sum("requests"),
  input_tokens: sum("input_tokens"),
  output_tokens: sum("output_tokens"),
  cache_read_tokens: sum("cache_read_tokens"),
  cache_write_tokens: sum("cache_write_5m_tokens", "cache_write_1h_tokens"),
};
if (JSON.stringify(booked) !== JSON.stringify(counted)) problems.push("the ledger differs from the model host's count");
const refused = recorder.exchanges.filter((exchange) => isFailure(exchange) && !isProbe(exchange));
const slowest = me.acts.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 5);
console.log(`\n${me.acts.length} acts, ${recorder.exchanges.length} exchanges, without success: ${failures(recorder)}`);
console.log("without success:", [...new Set(refused.map(({ status, error }) => `${status} ${error}`))]);
console.log("the model host counted", counted, "the ledger has", booked);
console.log("slowest:", slowest);
console.log(problems.length === 0 ? "No turn was lost." : problems);
await recorder.close();
await stack.stop();
seat.remove();
rmSync(dataFolder, { recursive: true });
process.exitCode = problems.length === 0 ? 0 : 1;

function demo() {
  if (!stack.demo) throw new Error("the stack has no demo workspace");
  return stack.demo;
}

/** Adds what the model host has counted so far, which it forgets when it ends. */
function count(): void {
  for (const { usage } of stack.bedrock.requests()) {
    if (!usage) continue;
    counted.requests += 1;
    counted.input_tokens += usage.input_tokens;
    counted.output_tokens += usage.output_tokens;
    counted.cache_read_tokens += usage.cache_read_input_tokens;
    counted.cache_write_tokens += usage.cache_creation_input_tokens;
  }
}

async function restart(): Promise<void> {
  await settled(stack);
  count();
  await stack.stop();
  stack = await start();
}

/** The platform takes the token no more; a refused client asks the helper again. */
async function expire(): Promise<void> {
  stack.clock.advance(2 * 3_600_000);
}

async function spend(): Promise<void> {
  await budget(0.0001);
  if (!(await me.ask("And a spent budget?", shows("budget is spent")))) problems.push("no word of the spent budget");
  await budget(5_000);
}

async function budget(monthly_budget_usd: number): Promise<void> {
  const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1", "us-east-1"], monthly_budget_usd };
  const token = await consoleToken(stack, demo().owner);
  await callControlPlane(stack, token, "PUT", `/v1/grants/${demo().developer.sub}`, limits);
  // Each instance knows for a minute what it has read.
  await Promise.all(
    stack.functions.all.filter(({ settings }) => settings.name.includes("proxy")).map((fn) => fn.kill()),
  );
}

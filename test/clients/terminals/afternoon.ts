// `npm run clients:afternoon`: one person works with Claude Code for an afternoon of sixty turns, on a stack that is restarted twice: between two turns,
// and in the middle of an answer. No turn may stay without its answer, and the ledger must hold what the model host has counted: of the answers that the
// restart cut, whose end nobody heard, at least that.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { totalTokens } from "../../../domain/catalog/token-usage.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import { type Stack, startLocal } from "../../../local/stack.ts";
import { accounted, everything, settled } from "../../support/accounting/accounting.ts";
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
/** Tokens of each answer that a restart cut, as the model host counted them until then. */
const cut: number[] = [];
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
  33: restartInMidAnswer,
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
const rows = (await everything(stack)).filter(({ pk }) => String(pk).startsWith("LEDGER#")) as LedgerRow[];
const estimated = rows.filter(({ source }) => source === "estimated");
const heard = rows.filter(({ source }) => source !== "estimated");
const sum = (of: (usage: LedgerRow["usage"]) => number) => heard.reduce((all, { usage }) => all + of(usage), 0);
const booked = {
  requests: heard.length,
  input_tokens: sum(({ input }) => input),
  output_tokens: sum(({ output }) => output),
  cache_read_tokens: sum(({ cache_read }) => cache_read),
  cache_write_tokens: sum(({ cache_write_5m, cache_write_1h }) => cache_write_5m + cache_write_1h),
};
const bounds = estimated.map(({ usage }) => totalTokens(usage)).toSorted((a, b) => a - b);
cut.sort((a, b) => a - b);
if (cut.length === 0) problems.push("no answer was cut");
if (bounds.length !== cut.length || bounds.some((bound, at) => bound < (cut[at] ?? 0))) {
  problems.push("the answers that were cut are not in the ledger at their bounds");
}
if (JSON.stringify(booked) !== JSON.stringify(counted)) problems.push("the ledger differs from the model host's count");
const refused = recorder.exchanges.filter((exchange) => isFailure(exchange) && !isProbe(exchange));
const slowest = me.acts.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 5);
console.log(`\n${me.acts.length} acts, ${recorder.exchanges.length} exchanges, without success: ${failures(recorder)}`);
console.log("without success:", [...new Set(refused.map(({ status, error }) => `${status} ${error}`))]);
console.log("the model host counted", counted, "the ledger has", booked);
console.log("answers that were cut: the model host counted", cut, "the ledger has", bounds);
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

/** Adds what the model host has counted so far, which it forgets when it ends. Answers that are under way are cut. */
function count(): void {
  for (const { usage, outcome } of stack.bedrock.requests()) {
    if (!usage) continue;
    if (outcome === "running") {
      cut.push(
        usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
      );
      continue;
    }
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

/** The whole platform ends while an answer comes, and comes back: the client asks again by itself, or says so and goes on with the next question. */
async function restartInMidAnswer(): Promise<void> {
  await settled(stack);
  const before = me.text.split("played by").length;
  stack.bedrock.configure({ outputTokens: 3_000, millisecondsPerToken: 20 });
  const asked = me.ask("And a story about arches?");
  if (!(await me.terminal.until(() => me.text.split("played by").length > before, 15_000)))
    problems.push("no long answer began");
  count();
  await stack.stop();
  stack = await start();
  await asked;
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

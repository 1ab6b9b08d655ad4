// A client without a terminal: each step is a program that is started with a question and ends by itself.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "../../local/stack.ts";
import { type Account, type AccountName, freshTokenOfPerson } from "./accounts.ts";
import type { Cell } from "./cell.ts";
import { run } from "./child.ts";
import { clients } from "./commands.ts";
import { judge, type Run, seconds } from "./judge.ts";
import { type Recorder, record } from "./recorder.ts";
import { type ClientName, readableFiles, type Scenario, secretOfTheFile } from "./scenarios.ts";

const timeoutMs = 90_000;
/** The most exchanges of a scenario: `/context` takes 27, and a client that sends more than this goes round in a circle. */
const mostExchanges = 100;

export type Opened = { stack: Stack; accounts: Record<AccountName, Account> };

export async function playHeadless({ stack, accounts }: Opened, client: ClientName, scenario: Scenario): Promise<Cell> {
  const place = mkdtempSync(join(tmpdir(), "archway-client-"));
  const { account = "granted" } = scenario;
  const { slug, credential, headers } =
    account === "token of a person" ? await freshTokenOfPerson(stack) : accounts[account];
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
  return {
    client,
    way: "key",
    mode: "headless",
    scenario: scenario.name,
    isRefusal: scenario.refusal !== undefined,
    exchanges: played.exchanges,
    milliseconds: Math.max(0, ...played.finished.map(({ milliseconds }) => milliseconds)),
    text: played.finished.map(({ output }) => output).join("\n"),
    problems: judge(scenario, played),
  };
}

/**
 * Looks after a step: its signal ends what takes too long or asks too much; `end` gives the longest time between two bytes on
 * the wire, from the step's first one until it ended, 0 if there was none.
 */
export function watchStep({ lastByte, exchanges }: Pick<Recorder, "lastByte" | "exchanges">): {
  signal: AbortSignal;
  end(): number;
} {
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

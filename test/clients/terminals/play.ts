// What one person did before one assistant, as a cell: starts with an empty home, ends with what was seen.
import type { Cell, Mode, Way } from "../cell.ts";
import { isFailure, isProbe } from "../judge.ts";
import { type Recorder, record } from "../recorder.ts";
import { type AssistantName, assistants } from "./assistants.ts";
import { bare, Someone } from "./person.ts";
import type { Scene, TerminalScenario } from "./scenarios.ts";
import { type Desk, type Seat, signedIn, withKey } from "./seat.ts";

/** No answer, refusal or command takes longer; a start may. */
export const longestMs = 10_000;

export async function playTerminal(
  desk: Desk,
  client: AssistantName,
  scenario: TerminalScenario,
  way: Way,
): Promise<Cell> {
  const { stack, accounts } = desk;
  const sit = () =>
    way === "key" ? withKey(desk, client, accounts.granted) : signedIn(desk, client, developerOf(desk));
  const cell = await watched(desk, client, sit, async ({ me, seat, wrong }) => {
    const answered = (question: string) => answeredBy(me, wrong, question);
    await scenario.play({ me, seat, stack, name: client, answered, wrong } satisfies Scene);
  });
  const failed = cell.exchanges.filter((exchange) => isFailure(exchange) && !isProbe(exchange));
  const unasked = failed.map(({ url, status, error }) => `${url} -> ${status} ${error ?? ""}`);
  const named = { client, way, scenario: scenario.name, mode: "terminal" as const, isRefusal: false };
  return { ...named, ...cell, problems: [...unasked, ...cell.problems] };
}

export function developerOf({ stack }: Desk) {
  if (!stack.demo) throw new Error("the stack has no demo workspace");
  return stack.demo.developer;
}

/** The local model host quotes what it was asked. */
export async function answeredBy(me: Someone, wrong: (problem: string) => void, question: string): Promise<void> {
  const isAnswered = () => bare(me.text).includes(bare(`You asked: ${question}`));
  if (!(await me.ask(question, isAnswered))) wrong(`no answer to "${question}"`);
}

export type Play = { me: Someone; seat: Seat; recorder: Recorder; wrong(problem: string): void };

/** Lets a person sit down and play, and leaves nothing of it behind. */
export async function watched(
  { stack, open }: Desk,
  client: AssistantName,
  sit: () => Promise<Seat>,
  play: (all: Play) => Promise<void>,
): Promise<Pick<Cell, "exchanges" | "milliseconds" | "text" | "problems">> {
  const recorder = await record(stack.edge);
  const me = new Someone({ open, recorder, assistant: assistants[client] });
  const problems: string[] = [];
  let seat: Seat | undefined;
  try {
    seat = await sit();
    seat.rewrite(stack.edge, recorder.address);
    await play({ me, seat, recorder, wrong: (problem) => void problems.push(problem) });
  } catch (error) {
    problems.push(String(error));
  } finally {
    await me.close();
    await recorder.close();
    stack.bedrock.configure({ outputTokens: undefined, millisecondsPerToken: 0, tokensPerEvent: 4 });
    seat?.remove();
  }
  const acts = me.acts.filter(({ what }) => what !== "start");
  for (const { what, ended } of me.acts) if (!ended) problems.push(`"${what}" had no end`);
  const slow = acts.filter(({ ended, milliseconds }) => ended && milliseconds > longestMs);
  problems.push(...slow.map(({ what, milliseconds }) => `"${what}" took ${(milliseconds / 1_000).toFixed(1)} s`));
  const milliseconds = Math.max(0, ...acts.map((act) => act.milliseconds));
  return { exchanges: recorder.exchanges, milliseconds, text: me.closed.join("\n"), problems };
}

export type Place = [mode: Mode, way: Way];

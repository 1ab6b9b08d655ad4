// Whether a run did what its scenario asks, and nothing that it does not ask for.
import type { Finished } from "./child.ts";
import type { Turn } from "./features.ts";
import type { Exchange } from "./recorder.ts";
import type { ClientName, Scenario } from "./scenarios.ts";

/** The longest time without a byte, on the wire or on the terminal. */
export const longestSilence = 10_000;

/** What a scenario's run left behind. */
export type Run = {
  client: ClientName;
  /** One for each step that was started. */
  finished: Finished[];
  exchanges: Exchange[];
  /** Milliseconds in which a client neither exchanged nor wrote a byte, after its first request; the longest of all steps. */
  silence: number;
};

/** What is wrong, in words; nothing for a run that is as it should be. */
export function judge(scenario: Scenario, { client, finished, exchanges, silence }: Run): string[] {
  const told = exchanges.filter((exchange) => !isProbe(exchange));
  const isStubborn = scenario.stubborn?.includes(client) ?? false;
  const mayRetry = scenario.mayRetry || isStubborn;
  return [
    ...told.filter((exchange) => isFailure(exchange) && !isAskedFor(scenario, exchange)).map(describe),
    ...told.filter(({ retry }) => retry && !mayRetry).map((exchange) => `retried: ${describe(exchange)}`),
    ...told
      .filter(({ longestGap }) => longestGap > longestSilence)
      .map((exchange) => `no byte for ${seconds(exchange.longestGap)}: ${describe(exchange)}`),
    ...(silence > longestSilence && !isStubborn ? [`the client was silent for ${seconds(silence)}`] : []),
    ...finished.flatMap((step, at) => judgeStep(scenario, step, exchanges, at + 1)),
    ...missing(scenario, told),
  ];
}

function judgeStep(scenario: Scenario, finished: Finished, exchanges: Exchange[], number: number): string[] {
  const { output, exitCode, killed } = finished;
  if (killed !== undefined) return [`step ${number} had to be killed: ${killed}`];
  const mayFail = scenario.refusal !== undefined || scenario.fault !== undefined;
  return [
    ...(exitCode === 0 || mayFail ? [] : [`step ${number} ended with ${exitCode}`]),
    ...(shows(scenario, output, exchanges) ? [] : [`step ${number} does not show ${scenario.shows}`]),
  ];
}

function shows({ shows: wanted }: Scenario, output: string, exchanges: Exchange[]): boolean {
  if (wanted instanceof RegExp) return wanted.test(output);
  return exchanges.some((exchange) => isFailure(exchange) && isReadable(exchange, output));
}

/** Whether the refusal's own message stands in the output, in JSON, broken into lines or in a box. */
export function isReadable({ error = "" }: Exchange, output: string): boolean {
  const bare = (text: string) => text.replaceAll(/\\n|[\s\\"'`│┃║⎿|]/g, "");
  const message = bare(error.replace(/^[^:]*: /, ""));
  return message !== "" && bare(output).includes(message);
}

/** What the scenario is about has to have been on the wire. */
function missing(scenario: Scenario, exchanges: Exchange[]): string[] {
  const { sends, refusal, fault } = scenario;
  const { thinking, thinkingOff, cacheTtl, path, credential, tools, subagent, history } = sends ?? {};
  const seen = (what: string, test: (exchange: Exchange) => boolean) =>
    exchanges.some(test) ? [] : [`no request ${what}`];
  return [
    ...(exchanges.length === 0 ? ["nothing was asked"] : []),
    ...(thinking ? seen(`with thinking ${thinking}`, ({ features }) => features.thinking?.type === thinking) : []),
    ...(thinkingOff ? exchanges.filter(({ features }) => thinks(features.thinking)).map(() => "thinking was on") : []),
    ...(cacheTtl ? seen(`with cache ttl ${cacheTtl}`, ({ features }) => features.cacheTtls.includes(cacheTtl)) : []),
    ...(path ? seen(`to ${path}`, ({ url }) => url.startsWith(`/vendor${path}`)) : []),
    ...(credential ? seen(`with a ${credential}`, ({ features }) => features.credential === credential) : []),
    ...(tools ? seen("with tools", ({ features }) => features.tools > 0) : []),
    ...(subagent ? seen("of a subagent", ({ features }) => features.subagent) : []),
    ...(history ? forgotten(scenario, exchanges) : []),
    ...(refusal ? seen(`was answered ${refusal.status} ${refusal.type}`, (each) => isRefusal(each, refusal)) : []),
    ...(fault ? seen("met the fault", ({ inStream }) => inStream) : []),
  ];
}

/** Steps that no request made with the whole conversation before it: each question, its answer, then the step's own question. */
function forgotten({ steps, shows: answer }: Scenario, exchanges: Exchange[]): string[] {
  return steps.flatMap(({ prompt }, at) => {
    const before = steps.slice(0, at).flatMap((step) => [asks(step.prompt), answers(answer)]);
    const later = steps.slice(at + 1).map((step) => asks(step.prompt));
    const whole = [...before, asks(prompt)];
    const isOfStep = (turns: Turn[]) => !turns.some((turn) => later.some((isLater) => isLater(turn)));
    if (exchanges.some(({ features: { turns } }) => isOfStep(turns) && holdsInOrder(turns, whole))) return [];
    return [`no request of step ${at + 1} with the turns before it`];
  });
}

type Sought = (turn: Turn) => boolean;

const asks =
  (prompt: string): Sought =>
  ({ role, text }) =>
    role === "user" && text.includes(prompt);

const answers =
  (words: Scenario["shows"]): Sought =>
  ({ role, text }) =>
    role === "assistant" && words instanceof RegExp && words.test(text);

/** Whether these stand among the turns, each after the one before it. */
function holdsInOrder(turns: Turn[], sought: Sought[]): boolean {
  let found = 0;
  for (const turn of turns) if (sought[found]?.(turn)) found += 1;
  return found === sought.length;
}

const thinks = (thinking: Record<string, unknown> | undefined) =>
  thinking !== undefined && thinking.type !== "disabled";

/** Claude Code looks whether somebody is there; the vendor's own API answers 404 too. */
export function isProbe({ method, url }: Exchange): boolean {
  const path = url.split("?")[0] ?? "";
  return (method === "HEAD" && /^\/vendor\/?$/.test(path)) || path === "/vendor/api/hello";
}

export function isFailure({ status, inStream, clientLeft }: Exchange): boolean {
  return status >= 400 || status === -2 || inStream || (status === -1 && !clientLeft);
}

function isAskedFor({ refusal, fault, fallback }: Scenario, exchange: Exchange): boolean {
  if (fault && exchange.inStream) return true;
  if (fallback?.test(exchange.error ?? "")) return true;
  return refusal !== undefined && isRefusal(exchange, refusal);
}

function isRefusal({ status, error = "" }: Exchange, refusal: Scenario["refusal"] & {}): boolean {
  return [refusal, refusal.toClaudeCode].some(
    (expected) => expected?.status === status && error.startsWith(expected.type),
  );
}

/** One line, by which the request can be made again. */
export function describe({ method, url, status, error, inStream, features, retryAfter }: Exchange): string {
  const { model, thinking, roles, stream } = features;
  const asked = [
    model,
    stream ? "stream" : undefined,
    thinking && `thinking ${JSON.stringify(thinking)}`,
    roles.length > 1 && roles.length < 8 ? `roles ${roles.join(" ")}` : undefined,
    retryAfter && `retry-after ${retryAfter}`,
  ].filter((each) => each !== undefined);
  return `${method} ${url} -> ${status}${inStream ? " (in the stream)" : ""} ${error ?? ""} [${asked.join("; ")}]`;
}

export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

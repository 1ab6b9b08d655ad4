// Cold starts in turns: the same runner with an empty streaming Middy handler, then with the deployed bundle.
import { Program } from "./child-process.ts";
import { requestBody, wholeBody } from "./message.ts";
import { median } from "./statistics.ts";
import { deployedBundle, edgeHeaders, functionEnvironment, type Setting } from "./variants.ts";

/** Milliseconds. `imported`: from spawn until it listens; `total`: until its first answer is there. */
export type Start = { imported: number; total: number };
/** `ratio`: its total to that of the first one. */
export type ColdStart = Start & { name: string; ratio: number };

/** A bundle and how it is run and asked. */
export type Contestant = {
  name: string;
  runner: string;
  env: Record<string, string>;
  headers: Record<string, string>;
  apiKey: string;
  /** The whole message unless given. */
  expected?: string;
};

/** The empty handler and the deployed bundle. */
export function ownContestants(setting: Setting, store: Program): Contestant[] {
  const runner = setting.builds.program("function-url");
  const bundles = { "empty handler": setting.builds.program("empty-handler"), archway: deployedBundle(setting) };
  const asked = { runner, headers: edgeHeaders(setting), apiKey: setting.workspace.apiKeys[0] ?? "" };
  const env = (bundle: string) => functionEnvironment(setting, store.url, bundle);
  return [
    { name: "empty handler", env: env(bundles["empty handler"]), expected: "{}", ...asked },
    { name: "archway", env: env(bundles.archway), ...asked },
  ];
}

/** Each round starts all of them, one after another. */
export async function coldStarts(contestants: Contestant[], promptBytes: number, rounds: number): Promise<ColdStart[]> {
  const starts: Start[][] = [];
  // The first round reads files that the others find in memory.
  for (let round = 0; round <= rounds; round++) {
    const taken: Start[] = [];
    for (const contestant of contestants) taken.push(await startOnce(contestant, promptBytes));
    if (round > 0) starts.push(taken);
  }
  return contestants.map(({ name }, index) => ({
    name,
    imported: median(starts.map((round) => round[index]?.imported ?? Number.NaN)),
    total: median(starts.map((round) => round[index]?.total ?? Number.NaN)),
    ratio: median(starts.map((round) => (round[index]?.total ?? Number.NaN) / (round[0]?.total ?? Number.NaN))),
  }));
}

async function startOnce(
  { runner, env, headers, apiKey, expected = wholeBody }: Contestant,
  promptBytes: number,
): Promise<Start> {
  const begin = performance.now();
  const started = await Program.start("cold start", runner, { env });
  const imported = performance.now() - begin;
  try {
    const response = await fetch(`${started.url}/vendor/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": apiKey, ...headers },
      body: requestBody(false, promptBytes),
    });
    const body = await response.text();
    const total = performance.now() - begin;
    if (body !== expected) throw new Error(`cold start: answered ${response.status} ${body.slice(0, 500)}`);
    return { imported, total };
  } finally {
    await started.stop();
  }
}

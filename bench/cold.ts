// Cold starts in pairs: the same runner with an empty streaming Middy handler, then with the deployed bundle.
import { Program } from "./child-process.ts";
import { requestBody, wholeBody } from "./message.ts";
import { median } from "./statistics.ts";
import { deployedBundle, edgeHeaders, functionEnvironment, type Setting } from "./variants.ts";

/** Milliseconds. `imported`: from spawn until it listens; `total`: until its first answer is there. */
export type Start = { imported: number; total: number };
export type ColdStarts = { empty: Start; archway: Start; ratio: number };

export async function coldStarts(setting: Setting, store: Program, pairs: number): Promise<ColdStarts> {
  const runner = setting.builds.program("function-url");
  const empty = setting.builds.program("empty-handler");
  const deployed = deployedBundle(setting);
  const starts: { empty: Start; archway: Start }[] = [];
  // The first pair reads files that the others find in memory.
  for (let pair = 0; pair <= pairs; pair++) {
    starts.push({
      empty: await startOnce(setting, runner, functionEnvironment(setting, store.url, empty), "{}"),
      archway: await startOnce(setting, runner, functionEnvironment(setting, store.url, deployed), wholeBody),
    });
  }
  const counted = starts.slice(1);
  const middle = (name: "empty" | "archway"): Start => ({
    imported: median(counted.map((pair) => pair[name].imported)),
    total: median(counted.map((pair) => pair[name].total)),
  });
  const ratio = median(counted.map((pair) => pair.archway.total / pair.empty.total));
  return { empty: middle("empty"), archway: middle("archway"), ratio };
}

async function startOnce(
  setting: Setting,
  runner: string,
  env: Record<string, string>,
  expected: string,
): Promise<Start> {
  const [apiKey = ""] = setting.workspace.apiKeys;
  const begin = performance.now();
  const started = await Program.start("cold start", runner, { env });
  const imported = performance.now() - begin;
  try {
    const response = await fetch(`${started.url}/vendor/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": apiKey, ...edgeHeaders(setting) },
      body: requestBody(false, setting.promptBytes),
    });
    const body = await response.text();
    const total = performance.now() - begin;
    if (body !== expected) throw new Error(`cold start: answered ${response.status} ${body.slice(0, 500)}`);
    return { imported, total };
  } finally {
    await started.stop();
  }
}

// Loaded into each thread before its program: in a function's instance it counts what is called, and tells it whenever it is asked.
import { type Profiler, Session } from "node:inspector";
import { BroadcastChannel, workerData } from "node:worker_threads";

/** The functions that were called in one instance since it was last asked. */
export type Told = { functionName: string; scripts: { url: string; calledAt: number[] }[] };

const { functionName, bundle } = (workerData ?? {}) as { functionName?: string; bundle?: string };
if (functionName !== undefined && bundle !== undefined) {
  const folder = new URL(".", bundle).href;
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const asked = new BroadcastChannel("asked");
  const told = new BroadcastChannel("told");
  asked.onmessage = () =>
    session.post("Profiler.takePreciseCoverage", (_error, { result }) => {
      const scripts = result
        .filter(({ url }) => url.startsWith(folder))
        .map(({ url, functions }) => ({ url, calledAt: functions.flatMap(calledAt) }));
      told.postMessage({ functionName, scripts } satisfies Told);
    });
  // biome-ignore lint/suspicious/noExplicitAny: Node's types lack unref of this channel.
  for (const channel of [asked, told] as any[]) channel.unref();
}

/** The place at which a called function begins. A function that begins with the file is its top level, which runs once when the file is loaded. */
function calledAt({ ranges: [whole] }: Profiler.FunctionCoverage): number[] {
  return whole && whole.count > 0 && whole.startOffset > 0 ? [whole.startOffset] : [];
}

// A burst at the local stack: plain calls through its edge, from one caller and then from 16, and the memory it keeps.
import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "./child-process.ts";
import type { LoadResult } from "./processes/load.ts";
import { median, quantile } from "./statistics.ts";
import { type Setting, startVariant, type Variant } from "./variants.ts";

/** What is left at a moment. `instances`: of all functions. */
type Footprint = { instances: number; residentMegabytes: number };
/** Times in milliseconds; CPU of the whole stack. */
type Phase = Footprint & { name: string; rps: number; p50: number; p99: number; most: number; cpuPerRequest: number };
/** `rest`: once nobody has called for a minute. */
export type Burst = { phases: Phase[]; rest: Footprint };

const phases = [
  { name: "1 caller, the first", callers: 1, seconds: 5 },
  { name: "1 caller", callers: 1, seconds: 10 },
  { name: "16 callers, the first", callers: 16, seconds: 5 },
  { name: "16 callers", callers: 16, seconds: 15 },
];
export const restSeconds = 60;

export async function measureBurst(setting: Setting, load: Program, progress: (text: string) => void): Promise<Burst> {
  const stack = await startVariant("local-stack", setting);
  const measured: Phase[] = [];
  for (const { name, callers, seconds } of phases) {
    progress(`burst: ${name}`);
    const before = await stack.proxy.usage();
    const { latencies, seconds: taken } = await callFor(seconds, callers, stack, load);
    const after = await stack.proxy.usage();
    measured.push({
      name,
      rps: latencies.length / taken,
      p50: median(latencies),
      p99: quantile(latencies, 0.99),
      most: Math.max(...latencies),
      cpuPerRequest: (after.cpuMs - before.cpuMs) / latencies.length,
      ...(await footprint(stack)),
    });
  }
  progress(`burst: a rest of ${restSeconds} s`);
  await sleep(restSeconds * 1000);
  const rest = await footprint(stack);
  await stack.proxy.stop();
  return { phases: measured, rest };
}

async function callFor(seconds: number, callers: number, { target }: Variant, load: Program): Promise<LoadResult> {
  await load.ask("open", { target: target("plain"), callers });
  try {
    return await load.ask<LoadResult>("run", seconds * 1000);
  } finally {
    await load.ask("close");
  }
}

async function footprint({ proxy }: Variant): Promise<Footprint> {
  const response = await fetch(new URL("/_local/functions", proxy.url));
  const functions = (await response.json()) as { instances: unknown[] }[];
  return {
    instances: functions.flatMap(({ instances }) => instances).length,
    residentMegabytes: (await proxy.usage()).residentBytes / 2 ** 20,
  };
}

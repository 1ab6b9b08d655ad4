// Throughput and latency: all variants take turns in each round, so that whatever else the machine does meets them alike.
import type { Program } from "./child-process.ts";
import type { LoadResult } from "./processes/load.ts";
import { median, quantile } from "./statistics.ts";
import type { Mode, Variant } from "./variants.ts";

/** One variant in one mode in one round. Times in milliseconds. */
export type Sample = {
  rps: number;
  p50: number;
  p99: number;
  firstByte: number;
  cpuPerRequest: number;
  storeCpuPerRequest: number | undefined;
  residentMegabytes: number;
  /** Of stamped events: from the model host to the client. */
  delayP50: number;
  delayP99: number;
};

export type Cell = { mode: Mode; callers: number };
export type Series = Cell & { variant: Variant["name"]; samples: Sample[] };

/** Connections are made and the processor's caches are filled before the measured time. */
const leadInMs = 80;

export type Rounds = { rounds: number; seconds: number; warmUpSeconds: number };

/** A variant that answered wrongly: it is measured no further and has no figures. */
export type Failures = Map<Variant["name"], string>;

/** An answer that is not byte for byte the expected one puts its variant among the failures. */
export async function measure(
  load: Program,
  variants: readonly Variant[],
  cells: readonly Cell[],
  { rounds, seconds, warmUpSeconds }: Rounds,
  failures: Failures,
  progress: (text: string) => void,
): Promise<Series[]> {
  const series = cells.flatMap((cell) => variants.map(({ name }): Series => ({ ...cell, variant: name, samples: [] })));
  const take = async (variant: Variant, cell: Cell, milliseconds: number): Promise<Sample | undefined> => {
    if (failures.has(variant.name)) return undefined;
    try {
      return await sample(load, variant, cell, milliseconds);
    } catch (error) {
      const callers = `${cell.callers} ${cell.callers === 1 ? "caller" : "callers"}`;
      failures.set(variant.name, `${cell.mode}, ${callers}: ${(error as Error).message}`);
      return undefined;
    }
  };
  for (const cell of warmUpSeconds > 0 ? cells : []) {
    progress("warming up");
    for (const variant of variants) await take(variant, cell, warmUpSeconds * 1000);
  }
  for (let round = 0; round < rounds; round++) {
    for (const cell of cells) {
      progress(`round ${round + 1} of ${rounds}: ${cell.mode}, ${cell.callers} callers`);
      // Another one goes first each time.
      for (let turn = 0; turn < variants.length; turn++) {
        const variant = variants[(turn + round) % variants.length] as Variant;
        const taken = await take(variant, cell, seconds * 1000);
        if (taken) series.find((one) => one.variant === variant.name && isSame(one, cell))?.samples.push(taken);
      }
    }
  }
  return series.filter(({ variant }) => !failures.has(variant));
}

async function sample(load: Program, variant: Variant, { mode, callers }: Cell, milliseconds: number): Promise<Sample> {
  const { proxy, store } = variant;
  try {
    await load.ask("open", { target: variant.target(mode), callers });
    await load.ask("run", leadInMs);
    const [before, storeBefore] = await Promise.all([proxy.usage(), store?.usage()]);
    const result = await load.ask<LoadResult>("run", milliseconds);
    const [after, storeAfter] = await Promise.all([proxy.usage(), store?.usage()]);
    const requests = result.latencies.length;
    return {
      rps: requests / result.seconds,
      p50: median(result.latencies),
      p99: quantile(result.latencies, 0.99),
      firstByte: median(result.firstBytes),
      cpuPerRequest: (after.cpuMs - before.cpuMs) / requests,
      storeCpuPerRequest: storeBefore && storeAfter && (storeAfter.cpuMs - storeBefore.cpuMs) / requests,
      residentMegabytes: after.residentBytes / 2 ** 20,
      delayP50: median(result.delays),
      delayP99: quantile(result.delays, 0.99),
    };
  } finally {
    await load.ask("close");
  }
}

export function isSame(one: Cell, other: Cell): boolean {
  return one.mode === other.mode && one.callers === other.callers;
}

/** The median over the rounds of what `pick` gives for a round's sample and another variant's sample of the same round. */
export function overRounds(series: Series, pick: (sample: Sample, round: number) => number | undefined): number {
  const values = series.samples.map(pick).filter((value) => value !== undefined);
  return median(values);
}

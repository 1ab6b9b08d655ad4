// Throughput and latency: all variants take turns in each round, so that whatever else the machine does meets them alike.
import type { Program } from "./child-process.ts";
import type { LoadResult } from "./processes/load.ts";
import { median, quantile } from "./statistics.ts";
import type { Mode, Variant, VariantName } from "./variants.ts";

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
export type Series = Cell & { variant: VariantName; samples: Sample[] };

/** Connections are made and the processor's caches are filled before the measured time. */
const leadInMilliseconds = 80;

export type Rounds = { rounds: number; seconds: number; warmUpSeconds: number };

/** @throws Error at the first answer that is not byte for byte the expected one */
export async function measure(
  load: Program,
  variants: readonly Variant[],
  cells: readonly Cell[],
  { rounds, seconds, warmUpSeconds }: Rounds,
  progress: (text: string) => void,
): Promise<Series[]> {
  if (warmUpSeconds > 0) {
    progress("warming up");
    for (const cell of cells) for (const variant of variants) await sample(load, variant, cell, warmUpSeconds * 1000);
  }
  const series = cells.flatMap((cell) => variants.map(({ name }): Series => ({ ...cell, variant: name, samples: [] })));
  for (let round = 0; round < rounds; round++) {
    for (const cell of cells) {
      progress(`round ${round + 1} of ${rounds}: ${cell.mode}, ${cell.callers} callers`);
      // Another one goes first each time.
      for (let turn = 0; turn < variants.length; turn++) {
        const variant = variants[(turn + round) % variants.length] as Variant;
        const taken = await sample(load, variant, cell, seconds * 1000);
        series.find((one) => one.variant === variant.name && isSame(one, cell))?.samples.push(taken);
      }
    }
  }
  return series;
}

async function sample(load: Program, variant: Variant, { mode, callers }: Cell, milliseconds: number): Promise<Sample> {
  const { proxy, store } = variant;
  try {
    await load.ask("open", { target: variant.target(mode), callers });
    await load.ask("run", leadInMilliseconds);
    const [before, storeBefore] = await Promise.all([proxy.usage(), store?.usage()]);
    const result = await load.ask<LoadResult>("run", milliseconds);
    const [after, storeAfter] = await Promise.all([proxy.usage(), store?.usage()]);
    const requests = result.latencies.length;
    return {
      rps: requests / result.seconds,
      p50: median(result.latencies),
      p99: quantile(result.latencies, 0.99),
      firstByte: median(result.firstBytes),
      cpuPerRequest: (after.cpuMilliseconds - before.cpuMilliseconds) / requests,
      storeCpuPerRequest:
        storeBefore && storeAfter && (storeAfter.cpuMilliseconds - storeBefore.cpuMilliseconds) / requests,
      residentMegabytes: after.residentBytes / 2 ** 20,
      delayP50: median(result.delays),
      delayP99: quantile(result.delays, 0.99),
    };
  } catch (error) {
    throw new Error(`${variant.name}, ${mode}, ${callers} callers: ${(error as Error).message}`);
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

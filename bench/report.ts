// What a run found, as tables for people.
import { type Burst, restSeconds } from "./burst.ts";
import type { ColdStart } from "./cold.ts";
import { isSame, overRounds, type Sample, type Series } from "./rounds.ts";
import { quantile } from "./statistics.ts";
import type { Variant } from "./variants.ts";

type Name = Variant["name"];

export type Results = {
  machine: { node: string; platform: string; cores: number; load_at_start: number };
  options: object;
  throughput: Series[];
  chunk: Series[];
  cold: ColdStart[] | undefined;
  burst: Burst | undefined;
  /** By variant: the first wrong answer. Such a variant has no figures. */
  failures: Record<string, string>;
};

const peer: Name = "portkey";
const ours: Name = "archway";

export function report({ throughput, chunk, cold, burst }: Results): string {
  const sections = [
    ...cellsOf(throughput).map(throughputTable),
    ...cellsOf(chunk).map(chunkTable),
    ...(cold ? [coldTable(cold)] : []),
    ...(burst ? [burstTable(burst)] : []),
    ...verdict(throughput, peer),
    ...verdict(throughput, "before"),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** The variants of each mode and number of callers, together. */
function cellsOf(series: Series[]): Series[][] {
  return series
    .filter((one, index) => series.findIndex((other) => isSame(other, one)) === index)
    .map((cell) => series.filter((one) => isSame(one, cell)));
}

function throughputTable(cell: Series[]): string {
  const of = (name: Name) => cell.find(({ variant }) => variant === name);
  const [bare, other] = [of("bare"), of(peer)];
  const rows = cell.map((series) => {
    const middle = (pick: (sample: Sample) => number | undefined) => overRounds(series, pick);
    return [
      series.variant,
      middle(({ rps }) => rps).toFixed(0),
      ratio(series, other, ({ rps }) => rps),
      middle(({ p50 }) => p50).toFixed(2),
      middle(({ p99 }) => p99).toFixed(2),
      added(series, bare, ({ p50 }) => p50),
      middle(({ firstByte }) => firstByte).toFixed(2),
      middle(({ cpuPerRequest }) => cpuPerRequest).toFixed(3),
      ratio(series, other, ({ cpuPerRequest }) => cpuPerRequest),
      optional(middle(({ storeCpuPerRequest }) => storeCpuPerRequest)),
      middle(({ residentMegabytes }) => residentMegabytes).toFixed(0),
    ];
  });
  const head = ["", "rps", `/${peer}`, "p50 ms", "p99 ms", "added ms", "first byte ms"];
  return table(title(cell), [...head, "CPU ms", `/${peer}`, "store CPU ms", "RSS MB"], rows);
}

function chunkTable(cell: Series[]): string {
  const bare = cell.find(({ variant }) => variant === "bare");
  const rows = cell.map((series) => [
    series.variant,
    overRounds(series, ({ delayP50 }) => delayP50).toFixed(3),
    overRounds(series, ({ delayP99 }) => delayP99).toFixed(3),
    added(series, bare, ({ delayP50 }) => delayP50, 3),
    added(series, bare, ({ delayP99 }) => delayP99, 3),
    overRounds(series, ({ cpuPerRequest }) => cpuPerRequest).toFixed(2),
  ]);
  const head = ["", "delay p50 ms", "p99 ms", "added p50 ms", "added p99 ms", "CPU ms a stream"];
  return table(`${title(cell)}: from the model host's write to the client, an event each 5 ms`, head, rows);
}

function coldTable(cold: ColdStart[]): string {
  const rows = cold.map(({ name, imported, total, ratio }) => [
    name,
    imported.toFixed(0),
    (total - imported).toFixed(0),
    total.toFixed(0),
    ratio.toFixed(2),
  ]);
  const head = ["", "until it listens ms", "first answer ms", "total ms", "times the empty handler's"];
  return table("cold start", head, rows);
}

function burstTable({ phases, rest }: Burst): string {
  const rows = phases.map(({ name, rps, p50, p99, most, cpuPerRequest, instances, residentMegabytes }) => [
    name,
    ...[rps, p50, p99, most].map((value) => value.toFixed(0)),
    cpuPerRequest.toFixed(1),
    ...[instances, residentMegabytes].map((value) => value.toFixed(0)),
  ]);
  const idle = [rest.instances, rest.residentMegabytes].map((value) => value.toFixed(0));
  const last = [`${restSeconds} s later`, "", "", "", "", "", ...idle];
  const head = ["", "rps", "p50 ms", "p99 ms", "most ms", "CPU ms", "instances", "RSS MB"];
  return table("local-stack, plain calls through the edge", head, [...rows, last]);
}

/** The question of the whole benchmark, cell by cell, with the best and the worst round. */
function verdict(throughput: Series[], than: Name): string[] {
  const lines = cellsOf(throughput).flatMap((cell) => {
    const [mine, other, bare] = [ours, than, "bare"].map((name) => cell.find(({ variant }) => variant === name));
    if (!mine || !other || !bare) return [];
    const pairs = mine.samples.map((sample, round) => ({
      sample,
      other: other.samples[round] as Sample,
      bare: bare.samples[round] as Sample,
    }));
    return [
      [
        `${cell[0]?.mode}, ${cell[0]?.callers}`,
        spread(pairs.map((pair) => pair.sample.rps / pair.other.rps)),
        spread(pairs.map((pair) => (pair.sample.p50 - pair.bare.p50) / (pair.other.p50 - pair.bare.p50))),
        spread(pairs.map((pair) => pair.sample.cpuPerRequest / pair.other.cpuPerRequest)),
      ],
    ];
  });
  if (lines.length === 0) return [];
  const head = ["", "rps (above 1 is ahead)", "added latency (below 1)", "CPU (below 1)"];
  return [table(`${ours} / ${than}: median over rounds (least to most)`, head, lines)];
}

function spread(values: number[]): string {
  const [least, middle, most] = [0, 0.5, 1].map((share) => quantile(values, share).toFixed(2));
  return `${middle} (${least} to ${most})`;
}

/** Against the other variant's sample of the same round. */
function ratio(series: Series, other: Series | undefined, pick: (sample: Sample) => number): string {
  return optional(
    overRounds(series, (sample, round) => {
      const beside = other?.samples[round];
      return beside && pick(sample) / pick(beside);
    }),
    2,
  );
}

function added(series: Series, bare: Series | undefined, pick: (sample: Sample) => number, digits = 2): string {
  return optional(
    overRounds(series, (sample, round) => {
      const beside = bare?.samples[round];
      return beside && pick(sample) - pick(beside);
    }),
    digits,
  );
}

function optional(value: number, digits = 3): string {
  return Number.isNaN(value) ? "" : value.toFixed(digits);
}

function title([first]: Series[]): string {
  return `${first?.mode}, ${first?.callers} ${first?.callers === 1 ? "caller" : "callers"}`;
}

export function table(heading: string, head: string[], rows: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)))
      .join("  ");
  return [heading, ...[head, ...rows].map((row) => `  ${line(row)}`)].join("\n");
}

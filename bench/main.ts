// `npm run bench`: starts every variant, measures them in turns, prints tables and keeps the numbers.
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { Builds } from "./build.ts";
import { measureBurst } from "./burst.ts";
import { type Checkout, openCheckout } from "./checkout.ts";
import { Program, stopAll } from "./child-process.ts";
import { coldStarts, ownContestants } from "./cold.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { type Results, report } from "./report.ts";
import { type Cell, type Failures, measure, type Series } from "./rounds.ts";
import { prepare, requirePackages, type Setting, start, startVariant, type Variant } from "./variants.ts";

const callers = [1, 16];
const paceMs = 5;

const throughputCells: Cell[] = (["plain", "stream"] as const).flatMap((mode) =>
  callers.map((count) => ({ mode, callers: count })),
);
const chunkCells: Cell[] = callers.map((count) => ({ mode: "paced", callers: count }));

async function run(options: Options): Promise<Results> {
  const builds = new Builds();
  const machine = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    load_at_start: loadavg()[0] ?? 0,
  };
  let before: Checkout | undefined;
  try {
    progress("starting");
    requirePackages();
    before = options.before === undefined ? undefined : await openCheckout(options.before, options.promptBytes);
    const setting = await prepare(builds, options.promptBytes);
    const load = await Program.start("load", fileURLToPath(new URL("processes/load.ts", import.meta.url)));
    const isAsked = options.parts.some((part) => part === "throughput" || part === "chunk");
    const names = isAsked ? options.variants : [];
    const variants = await Promise.all(names.map((name) => startVariant(name, setting)));
    if (before && isAsked) variants.push(await before.start());
    return { machine, options, ...(await measureParts(options, setting, load, variants, before)) };
  } finally {
    await before?.close();
    await stopAll();
    builds.remove();
  }
}

async function measureParts(
  options: Options,
  setting: Setting,
  load: Program,
  variants: Variant[],
  before: Checkout | undefined,
) {
  const has = (part: Options["parts"][number]) => options.parts.includes(part);
  const failures: Failures = new Map();
  const throughput = has("throughput")
    ? await measure(load, variants, throughputCells, options, failures, progress)
    : [];
  const chunk = has("chunk") ? await measureChunks(options, setting, load, variants, failures) : [];
  const cold =
    has("cold") && options.variants.includes("archway") ? await measureCold(options, setting, before) : undefined;
  const burst = has("burst") ? await measureBurst(setting, load, progress) : undefined;
  const isSound = ({ variant }: Series) => !failures.has(variant);
  return {
    throughput: throughput.filter(isSound),
    chunk: chunk.filter(isSound),
    cold,
    burst,
    failures: Object.fromEntries(failures),
  };
}

/** A paced stream takes a quarter of a second, so each cell has one stream of each caller at least. */
async function measureChunks(
  options: Options,
  { modelHost }: Setting,
  load: Program,
  variants: Variant[],
  failures: Failures,
) {
  await modelHost.ask("pace", paceMs);
  // The other checkout has a model host of its own, whose pace this one does not set.
  const stamped = variants.filter(({ name }) => name !== "local-stack" && name !== "before");
  const rounds = { ...options, rounds: options.chunkRounds, warmUpSeconds: 0 };
  const series = await measure(load, stamped, chunkCells, rounds, failures, progress);
  await modelHost.ask("pace", 0);
  return series;
}

async function measureCold(options: Options, setting: Setting, before: Checkout | undefined) {
  progress("cold starts");
  const store = await start(setting, "store", { WORKSPACE: JSON.stringify(setting.workspace) });
  try {
    const contestants = [...ownContestants(setting, store), ...(before ? [await before.coldStart()] : [])];
    return await coldStarts(contestants, options.promptBytes, options.coldStarts);
  } finally {
    await store.stop();
  }
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** @returns the file's path from the repository's root */
function keep(results: Results): string {
  const folder = new URL("results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.json`;
  writeFileSync(new URL(name, folder), `${JSON.stringify(results, null, 2)}\n`);
  return `bench/results/${name}`;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (!options) process.stdout.write(usage);
  else {
    const results = await run(options);
    progress("");
    const { node, platform, cores, load_at_start } = results.machine;
    console.log(`Node ${node}, ${platform}, ${cores} cores, load ${load_at_start.toFixed(1)} at the start\n`);
    console.log(report(results));
    for (const [name, message] of Object.entries(results.failures)) console.error(`FAILED: ${name}, ${message}\n`);
    if (Object.keys(results.failures).length > 0) process.exitCode = 1;
    console.log(`${keep(results)} has every round (${process.uptime().toFixed(0)} s in all)`);
  }
} catch (error) {
  progress("");
  console.error((error as Error).message);
  process.exitCode = 1;
}

// `npm run profile`: runs the proxy's function with constant answers under the CPU profiler and says where its time goes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Profiler } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { attribute, type Share } from "./attribution.ts";
import { Builds } from "./build.ts";
import { Program, stopAll } from "./child-process.ts";
import type { LoadResult } from "./processes/load.ts";
import { table } from "./report.ts";
import { archway, prepare, requirePackages, start, type Variant } from "./variants.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    callers: { type: "string", default: "16" },
    plain: { type: "boolean", default: false },
    rows: { type: "string", default: "20" },
  },
});
const [seconds, callers, rows] = [values.seconds, values.callers, values.rows].map(Number) as [number, number, number];
if (!(seconds > 0 && callers > 0 && rows > 0)) throw new Error("--seconds, --callers and --rows take numbers above 0");
const mode = values.plain ? "plain" : "stream";
const warmUpMs = 2_000;

const builds = new Builds();
try {
  requirePackages();
  const setting = await prepare(builds, 1000);
  const store = await start(setting, "store", { WORKSPACE: JSON.stringify(setting.workspace) });
  const bundle = builds.readableBundle("handlers/proxy/lambda.ts");
  const variant = await archway("archway", setting, store, bundle, [builds.program("profiler")]);
  const load = await Program.start("load", fileURLToPath(new URL("processes/load.ts", import.meta.url)));
  const { profile, requests } = await takeProfile(variant, load);
  print(profile, requests, readFileSync(bundle, "utf8"));
} finally {
  await stopAll();
  builds.remove();
}

async function takeProfile({ proxy, target }: Variant, load: Program) {
  await load.ask("open", { target: target(mode), callers });
  await load.ask("run", warmUpMs);
  await proxy.ask("startProfile");
  const { latencies } = await load.ask<LoadResult>("run", seconds * 1000);
  return { profile: await proxy.ask<Profiler.Profile>("stopProfile"), requests: latencies.length };
}

function print(profile: Profiler.Profile, requests: number, bundle: string): void {
  const { busy, onBehalf, files, functions } = attribute(profile, bundle);
  const lines = (shares: Share[]) =>
    shares
      .slice(0, rows)
      .map(({ name, milliseconds }) => [
        name,
        ((milliseconds / requests) * 1000).toFixed(1),
        `${((milliseconds / busy) * 100).toFixed(1)} %`,
      ]);
  const head = ["", "us a request", "of the busy time"];
  const all = ((busy / requests) * 1000).toFixed(0);
  console.log(
    `${mode}, ${callers} callers, ${requests} requests, ${all} us of the main thread each (profiler included)\n`,
  );
  console.log(table("by package, Node's own work counted to who asked for it", head, lines(onBehalf)));
  console.log(`\n${table("the same by file", head, lines(files))}`);
  console.log(`\n${table("by function, own code only", head, lines(functions))}`);
  const file = new URL(`results/${mode}-${callers}.cpuprofile`, import.meta.url);
  mkdirSync(new URL("results/", import.meta.url), { recursive: true });
  writeFileSync(file, JSON.stringify(profile));
  console.log(`\nbench/results/${mode}-${callers}.cpuprofile opens in the developer tools of a browser`);
}

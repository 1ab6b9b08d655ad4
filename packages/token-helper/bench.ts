// `node bench.ts [FILE]`: what `archway token` costs with a cached token beside starting Node at all, measured in pairs.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./build.ts";

const pairs = 100;

const home = mkdtempSync(join(tmpdir(), "archway-bench-"));
mkdirSync(join(home, "default"));
const now = Date.now();
const access = {
  url: "https://api.example.com",
  access_token: "a".repeat(1_200),
  obtained_at: now,
  expires_at: now + 3_600_000,
};
writeFileSync(join(home, "default", "access.json"), JSON.stringify(access));

/** A prebuilt binary, or the bundle. */
const [binary] = process.argv.slice(2);
const token = binary ? [binary, "token"] : [process.execPath, await bundle(join(home, "archway.cjs")), "token"];
const floor = [process.execPath, "-e", "0"];

function milliseconds([file = "", ...args]: string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(file, args, { env: { ARCHWAY_HOME: home } });
  if (status !== 0) throw new Error(String(stderr));
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const measured = Array.from({ length: pairs }, (_, index) => {
  // The two take turns in going first, so that neither always profits from the other.
  const first = index % 2 === 0 ? milliseconds(floor) : undefined;
  const tokenMs = milliseconds(token);
  return { floor: first ?? milliseconds(floor), token: tokenMs };
});
const [node, helper] = [median(measured.map(({ floor }) => floor)), median(measured.map(({ token }) => token))];
const difference = median(measured.map(({ floor, token }) => token - floor));
console.log(
  `node -e 0 ${node.toFixed(1)} ms, archway token ${helper.toFixed(1)} ms: ${(helper / node).toFixed(2)} times, ${difference.toFixed(1)} ms more (medians of ${pairs} pairs)`,
);

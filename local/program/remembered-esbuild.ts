// esbuild for the local stack (evaluate.ts) and the tests (test/support/runner/replaced-modules.ts): a bundle of the product is built once for all stacks and
// suites, whatever their configuration, and again when any source has changed. The builds themselves are esbuild's own.
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import esbuild, { type BuildOptions, type BuildResult } from "esbuild/lib/main.js";

export const { build } = esbuild;

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}node_modules/.cache/archway/built`;

/** Everything that a bundle of the product is made of. */
const sources = [
  "{actions,adapters,components,console,domain,handlers,runtimes}/**/*.{ts,tsx,css,html,json}",
  "{package,package-lock,tsconfig}.json",
  "local/program/remembered-esbuild.ts",
];

let hashOfSources: string | undefined;

export function buildSync(options: BuildOptions): BuildResult {
  const path = `${folder}/${keyOf(options)}`;
  const known = read(path);
  if (known) return known;
  const result = esbuild.buildSync(options);
  write(
    path,
    (result.outputFiles ?? []).map(({ path, text }) => ({ path, text })),
  );
  return result;
}

function keyOf(options: BuildOptions): string {
  hashOfSources ??= hashed(globSync(sources, { cwd: root }).sort());
  const replaced = Object.values(options.alias ?? {});
  return `${hashOfSources}/${createHash("sha256").update(JSON.stringify(options)).update(hashed(replaced)).digest("hex")}`;
}

function hashed(paths: string[]): string {
  const hash = createHash("sha256").update(process.version);
  for (const path of paths) hash.update(path).update(readFileSync(path.startsWith("/") ? path : root + path));
  return hash.digest("hex").slice(0, 32);
}

function read(path: string): BuildResult | undefined {
  try {
    return { outputFiles: JSON.parse(readFileSync(path, "utf8")) } as BuildResult;
  } catch {
    return undefined;
  }
}

/** Bundles of other sources than now go: they are some megabytes each. Where the folder cannot be written nothing is remembered. */
function write(path: string, files: object[]): void {
  try {
    remember(path, files);
  } catch {
    // The bundle is built again next time.
  }
}

function remember(path: string, files: object[]): void {
  for (const old of globSync("*", { cwd: folder })) {
    if (old !== hashOfSources) rmSync(`${folder}/${old}`, { recursive: true, force: true });
  }
  mkdirSync(`${folder}/${hashOfSources}`, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(files));
  renameSync(draft, path);
}

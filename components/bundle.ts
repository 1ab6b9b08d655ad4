// Bundles one function's entry with esbuild: `index.mjs`, and a chunk for each part that is loaded only when it is needed. The same
// sources give the same bytes on every machine.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as pulumi from "@pulumi/pulumi";
import { type BuildOptions, buildSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

const cache = "node_modules/.cache/archway/bundles";

// Some packages inside the bundle are CommonJS and call require() for Node's own modules.
const requireBanner = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  outdir: "bundle",
  outExtension: { ".js": ".mjs" },
  write: false,
  format: "esm",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  minify: true,
  legalComments: "none",
  logLevel: "silent",
  banner: { js: requireBanner },
} satisfies BuildOptions;

/**
 * The text of each file of the bundle of `entry`, a path from the repository's root.
 * @param catalogFile a JSON file, from the root, that takes the place of `domain/catalog/catalog-data.ts`.
 */
export function bundleFiles(entry: string, catalogFile?: string): Record<string, string> {
  const alias = catalogFile === undefined ? {} : { "#catalog": `${root}${catalogFile}` };
  const { outputFiles } = buildSync({ ...bundleOptions, alias, entryPoints: { index: entry } });
  const files = outputFiles.map(({ path, text }) => [relative(`${root}${bundleOptions.outdir}`, path), text] as const);
  return Object.fromEntries(files.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * The bundle as the archive that Lambda runs: modules side by side, no time stamps. They lie in files, of which Pulumi's state keeps
 * name and hash; it would keep the whole of a text.
 */
export function bundle(entry: string, catalogFile?: string): pulumi.asset.AssetArchive {
  const files = bundleFiles(entry, catalogFile);
  const folder = keptFiles(files);
  const assets = Object.keys(files).map((path) => [path, new pulumi.asset.FileAsset(join(folder, path))] as const);
  return new pulumi.asset.AssetArchive(Object.fromEntries(assets));
}

/** The folder of the files, from the repository's root, under a name that only these files have: another process may write them, too. */
export function keptFiles(files: Record<string, string>): string {
  const folder = join(cache, createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 32));
  if (existsSync(join(root, folder))) return folder;
  mkdirSync(join(root, cache), { recursive: true });
  const begun = mkdtempSync(join(root, cache, "begun-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(begun, path)), { recursive: true });
    writeFileSync(join(begun, path), text);
  }
  try {
    renameSync(begun, join(root, folder));
  } catch {
    // Another process has bundled the same sources and moved its files into place first.
    rmSync(begun, { recursive: true });
  }
  return folder;
}

// Bundles one function's entry with esbuild: `index.mjs`, and a chunk for each part that is loaded only when it is needed. The same
// sources give the same bytes on every machine.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as pulumi from "@pulumi/pulumi";
import { type BuildOptions, buildSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

// Some packages inside the bundle are CommonJS and call require() for Node's own modules.
const requireBanner = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

const options = {
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
  const { outputFiles } = buildSync({ ...options, alias, entryPoints: { index: entry } });
  const files = outputFiles.map(({ path, text }) => [relative(`${root}${options.outdir}`, path), text] as const);
  return Object.fromEntries(files.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The bundle as the archive that Lambda runs: modules side by side, no time stamps. */
export function bundle(entry: string, catalogFile?: string): pulumi.asset.AssetArchive {
  const assets = Object.entries(bundleFiles(entry, catalogFile)).map(
    ([path, text]) => [path, new pulumi.asset.StringAsset(text)] as const,
  );
  return new pulumi.asset.AssetArchive(Object.fromEntries(assets));
}

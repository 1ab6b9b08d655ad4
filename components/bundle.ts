// Bundles one function's entry with esbuild. The same sources give the same bytes on every machine.
import { fileURLToPath } from "node:url";
import * as pulumi from "@pulumi/pulumi";
import { type BuildOptions, buildSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

// Some packages inside the bundle are CommonJS and call require() for Node's own modules.
const requireBanner = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

const options = {
  absWorkingDir: root,
  bundle: true,
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
 * The text of the bundle of `entry`, a path from the repository's root.
 * @param catalogFile a JSON file, from the root, that takes the place of `domain/catalog/catalog-data.ts`.
 */
export function bundleText(entry: string, catalogFile?: string): string {
  const alias = catalogFile === undefined ? {} : { "#catalog": `${root}${catalogFile}` };
  const [output] = buildSync({ ...options, alias, entryPoints: [entry] }).outputFiles;
  if (!output) throw new Error(`${entry}: esbuild gave no output`);
  return output.text;
}

/** The bundle as the archive that Lambda runs: one module, no time stamps. */
export function bundle(entry: string, catalogFile?: string): pulumi.asset.AssetArchive {
  const text = bundleText(entry, catalogFile);
  return new pulumi.asset.AssetArchive({ "index.mjs": new pulumi.asset.StringAsset(text) });
}

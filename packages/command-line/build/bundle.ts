// How a program of ours becomes one file that runs alone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";

/** @param folder of the package */
export function bundleOptions(folder: string) {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return {
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    // A CommonJS file starts sooner than a module.
    format: "cjs",
    mainFields: ["module", "main"],
    legalComments: "none",
    // Names of files are then as those who read the licences need them, wherever the build is started.
    absWorkingDir: folder,
    metafile: true,
    logLevel: "warning",
    define: { ARCHWAY_VERSION: JSON.stringify(version) },
  } satisfies BuildOptions;
}

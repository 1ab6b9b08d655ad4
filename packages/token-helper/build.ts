// `npm run build`: one file that runs alone, `dist/archway.cjs`. What is not needed for a cached token is not evaluated.
import { chmodSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** @param outfile where the bundle goes; `dist/archway.cjs` unless given. */
export async function bundle(outfile = `${folder}dist/archway.cjs`): Promise<string> {
  const { version } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  await build({
    entryPoints: [`${folder}main.ts`],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    // A CommonJS file starts sooner than a module.
    format: "cjs",
    mainFields: ["module", "main"],
    define: { ARCHWAY_VERSION: JSON.stringify(version) },
    legalComments: "none",
    logLevel: "warning",
  });
  chmodSync(outfile, 0o755);
  return outfile;
}

if (import.meta.main) await bundle(process.argv[2]);

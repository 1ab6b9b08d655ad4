// `npm run build`: one file that runs alone, `dist/archway-skills.cjs`.
import { chmodSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions } from "../command-line/build/bundle.ts";
import { licencesOf } from "../command-line/build/licences.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** @param outfile where the bundle goes; `dist/archway-skills.cjs` unless given. */
export async function bundle(outfile = `${folder}dist/archway-skills.cjs`): Promise<string> {
  const options = { ...bundleOptions(folder), entryPoints: [`${folder}main.ts`] };
  const { metafile } = await build({ ...options, write: false });
  const footer = { js: licencesOf(metafile, folder) };
  await build({ ...options, outfile: resolve(outfile), footer });
  chmodSync(outfile, 0o755);
  return outfile;
}

if (import.meta.main) await bundle(process.argv[2]);

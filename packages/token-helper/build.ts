// `npm run build`: one file that runs alone, `dist/archway.cjs`. All but a cached token's way lies in it as text, which is not even parsed.
import { chmodSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { bundleOptions } from "../command-line/build/bundle.ts";
import { licencesOf } from "../command-line/build/licences.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

/**
 * Parsing the commands takes longer than all that a cached token needs (7 ms of 9 at 218 KB), so they are compiled when called.
 * @param commands the bundle of `cli.ts`
 */
function asText(commands: string): Plugin {
  const contents = `
    import { compileFunction } from "node:vm";
    const text = ${JSON.stringify(commands)};
    const commands = { exports: {} };
    const parameters = ["module", "exports", "require"];
    compileFunction(text, parameters, { filename: "archway-commands.cjs" })(commands, commands.exports, require);
    export const { run } = commands.exports;`;
  return {
    name: "commands as text",
    setup: ({ onLoad }) => onLoad({ filter: /[\\/]token-helper[\\/]cli\.ts$/ }, () => ({ contents, loader: "js" })),
  };
}

/** @param outfile where the bundle goes; `dist/archway.cjs` unless given. */
export async function bundle(outfile = `${folder}dist/archway.cjs`): Promise<string> {
  const options = bundleOptions(folder);
  const commands = await build({ ...options, entryPoints: [`${folder}cli.ts`], write: false });
  const plugins = [asText(commands.outputFiles[0]?.text ?? "")];
  const footer = { js: licencesOf(commands.metafile, folder) };
  await build({ ...options, entryPoints: [`${folder}main.ts`], outfile: resolve(outfile), plugins, footer });
  chmodSync(outfile, 0o755);
  return outfile;
}

if (import.meta.main) await bundle(process.argv[2]);

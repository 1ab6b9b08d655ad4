// Plain JavaScript of what is measured, in a folder of this run: stripping types would add to memory and cold starts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("..", import.meta.url));

const forNode = {
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  target: "node24",
  legalComments: "none",
  logLevel: "warning",
} satisfies BuildOptions;

/** As components/bundle.ts does, but in one file and readable, with a comment before each module that names its file. */
const readable = {
  ...forNode,
  absWorkingDir: root,
  mainFields: ["module", "main"],
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
} satisfies BuildOptions;

export class Builds {
  readonly folder = mkdtempSync(join(tmpdir(), "archway-bench-"));

  /** A file of processes/ with what it imports. */
  program(name: string): string {
    return this.text(`${name}.mjs`, built({ ...forNode, entryPoints: [join(here, "processes", `${name}.ts`)] }));
  }

  /** A function's bundle in which every line can be attributed to its package. @param entry from the repository's root */
  readableBundle(entry: string): string {
    return this.text("readable.mjs", built({ ...readable, entryPoints: [entry] }));
  }

  /** A bundle of several files, in a folder of its own; gives the path of its `index.mjs`. */
  bundle(name: string, files: Record<string, string>): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    return join(folder, "index.mjs");
  }

  text(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function built(options: BuildOptions): string {
  const [output] = buildSync({ ...options, write: false }).outputFiles;
  if (!output) throw new Error("esbuild gave no output");
  return output.text;
}

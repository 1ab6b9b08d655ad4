// The source files in which functions were called, told from the places in a function's bundle by its source map.
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { bundleOptions } from "../../components/bundle.ts";
import type { Told } from "./coverage.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

type Chunk = { text: string; map: SourceMap };

/** A chunk's name hangs on its content, and so on whether it has a map. */
const withoutNames = (text: string) => text.replaceAll(/chunk-[A-Z0-9]{8}|[a-z-]+-[A-Z0-9]{8}\.mjs/g, "");

export class EnteredFiles {
  readonly #chunks = new Map<string, Chunk[]>();

  /** The product's files that were entered, by paths from the root. */
  of(folder: string, { scripts }: Told): string[] {
    const files = scripts.flatMap(({ url, calledAt }) => {
      if (calledAt.length === 0) return [];
      const text = readFileSync(fileURLToPath(url), "utf8");
      const chunk = this.#chunksOf(folder).find((one) => withoutNames(one.text) === withoutNames(text));
      if (!chunk) throw new Error(`${folder}: nothing that is built now is ${basename(url)}`);
      return calledAt.flatMap((offset) => sourceAt(chunk, offset));
    });
    return [...new Set(files)].filter((path) => !path.includes("node_modules/")).sort();
  }

  #chunksOf(folder: string): Chunk[] {
    const known = this.#chunks.get(folder) ?? builtChunks(`handlers/${folder}/lambda.ts`);
    this.#chunks.set(folder, known);
    return known;
  }
}

function builtChunks(entry: string): Chunk[] {
  const { outputFiles } = buildSync({ ...bundleOptions, sourcemap: "external", entryPoints: { index: entry } });
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  return [...texts]
    .filter(([path]) => path.endsWith(".mjs"))
    .map(([path, text]) => ({ text, map: new SourceMap(JSON.parse(texts.get(`${path}.map`) ?? "{}")) }));
}

function sourceAt({ text, map }: Chunk, offset: number): string[] {
  const before = text.slice(0, offset);
  const line = before.split("\n").length - 1;
  const entry = map.findEntry(line, offset - (before.lastIndexOf("\n") + 1));
  if (!("originalSource" in entry)) return [];
  // Sources are told from the folder in which the bundle would lie.
  return [join(root, "bundle", entry.originalSource).slice(root.length)];
}

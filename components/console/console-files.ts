// Builds the console with the esbuild that bundles the functions: a first script, a chunk for each page, one style sheet. Their names hold
// a hash of their content, so that a browser may keep them for ever.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

const options = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  outdir: "console-files",
  entryNames: "assets/[name]-[hash]",
  chunkNames: "assets/[name]-[hash]",
  write: false,
  format: "esm",
  platform: "browser",
  target: "es2023",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  minify: true,
  legalComments: "none",
  logLevel: "silent",
} satisfies BuildOptions;

/** The text of each file by its path on the console's host, `index.html` included. */
export function consoleFiles(): Record<string, string> {
  const { outputFiles } = buildSync({ ...options, entryPoints: { app: "console/app/main.tsx" } });
  const built = outputFiles.map(({ path, text }) => [relative(join(root, options.outdir), path), text] as const);
  const files = Object.fromEntries(built.sort(([one], [other]) => (one < other ? -1 : 1)));
  const names = Object.keys(files);
  // esbuild does not load the style sheet of a chunk that is loaded later: every one is named by the page.
  const links = names
    .filter((name) => name.endsWith(".css"))
    .map((name) => `<link rel="stylesheet" href="/${name}" />`);
  const script = names.find((name) => /^assets\/app-[^/]*\.js$/.test(name));
  const head = [...links, `<script type="module" src="/${script}"></script>`].join("\n    ");
  const page = readFileSync(join(root, "console/index.html"), "utf8");
  return { ...files, "index.html": page.replace(/<!--[^>]*style sheets[^>]*-->/, head) };
}

const types: Record<string, string> = {
  js: "text/javascript",
  css: "text/css",
  html: "text/html; charset=utf-8",
  json: "application/json",
};

/** The media type of a file of the console. @throws Error for an ending that the console has no files of */
export function mediaType(path: string): string {
  const type = types[path.slice(path.lastIndexOf(".") + 1)];
  if (!type) throw new Error(`${path}: the console has no media type for it`);
  return type;
}

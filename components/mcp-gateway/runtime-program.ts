// The program of a provider's runtime, as the archive that AgentCore runs: our bridge, and the provider's server with all that it needs in
// one file. The packages are pinned by package-lock.json, and nothing is downloaded when a runtime starts.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as pulumi from "@pulumi/pulumi";
import { type BuildOptions, buildSync } from "esbuild";
import { type Zippable, zipSync } from "fflate";
import type { RuntimeProvider } from "../../domain/marketplace/provider.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = "node_modules/.cache/archway/runtimes";

const options = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  // The runtime NODE_22 of AgentCore.
  target: "node22",
  mainFields: ["module", "main"],
  minify: true,
  legalComments: "none",
  logLevel: "silent",
  // Some packages inside are CommonJS and call require() for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
} satisfies BuildOptions;

/** The text of each file, by its path in the archive. */
export function runtimeFiles(provider: RuntimeProvider): Record<string, string> {
  const { package: name, files = [], secret_variable, configuration, hosts } = provider;
  const folder = join("node_modules", name);
  const text = (path: string) => readFileSync(join(root, folder, path), "utf8");
  const { bin } = JSON.parse(text("package.json")) as { bin: string | Record<string, string> };
  const [entry = ""] = typeof bin === "string" ? [bin] : Object.values(bin);
  return {
    "main.js": bundled("runtimes/main.ts"),
    "confined-network.js": bundled("runtimes/confined-network.ts"),
    "provider.json": JSON.stringify({ variables: [secret_variable, ...configuration.map((one) => one.name)], hosts }),
    // AgentCore asks for an entry that ends in .js; this says that it is a module.
    "package.json": '{"type":"module"}',
    "server/index.js": bundled(join(folder, entry)),
    ...Object.fromEntries(files.map((path) => [path, text(path)])),
  };
}

function bundled(entry: string): string {
  const [file] = buildSync({ ...options, entryPoints: [entry], outfile: "program.js" }).outputFiles ?? [];
  return file?.text ?? "";
}

/** The archive as a file of the checkout's cache, and a name that only this content has. */
export function runtimeArchive(provider: RuntimeProvider): { hash: string; archive: pulumi.asset.FileAsset } {
  const files = runtimeFiles(provider);
  const hash = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 32);
  const path = join(cache, `${hash}.zip`);
  if (!existsSync(join(root, path))) write(path, zipped(files));
  return { hash, archive: new pulumi.asset.FileAsset(path) };
}

/** Gives an archive without the time of day, so that the same files are the same archive. Everybody may read its files, as AgentCore asks. */
function zipped(files: Record<string, string>): Uint8Array {
  const options = { os: 3, attrs: 0o100644 << 16, mtime: "1980-01-01T00:00:00" };
  const entries: Zippable = {};
  for (const [path, text] of Object.entries(files)) entries[path] = [Buffer.from(text), options];
  return zipSync(entries);
}

/** Writes a file whole: another process may write the same one at this moment. */
function write(path: string, content: Uint8Array): void {
  mkdirSync(join(root, cache), { recursive: true });
  const begun = mkdtempSync(join(root, cache, "begun-"));
  writeFileSync(join(begun, "archive"), content);
  renameSync(join(begun, "archive"), join(root, path));
  rmSync(begun, { recursive: true });
}

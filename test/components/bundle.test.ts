import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import type * as pulumi from "@pulumi/pulumi";
import { bundle, bundleFiles } from "../../components/bundle.ts";
import { control } from "../../handlers/control/contract.ts";
import { proxy } from "../../handlers/proxy/contract.ts";
import { few } from "../support/sizes.ts";

type Files = Record<string, string>;

const root = fileURLToPath(new URL("../..", import.meta.url));
const entries = globSync("handlers/*/lambda.ts", { cwd: root }).sort();
const built = new Map(entries.map((entry) => [entry, bundleFiles(entry)] as const));

describe.each([...built])("the bundle of %s", (_entry, files) => {
  test("each function's bundle names no folder of the machine that built it", () => {
    for (const folder of [root, `${homedir()}/`, `${tmpdir()}/`, "file:///"]) {
      // Not `expect(text)`: a failure would print the whole bundle.
      const naming = Object.keys(files).filter((path) => files[path]?.includes(folder));
      expect([folder, naming]).toEqual([folder, []]);
    }
  });

  test("each function's bundle exports the handler that Lambda calls", () => {
    const exported = /export\{([^}]*)\};?\s*$/.exec(files["index.mjs"] ?? "")?.[1];
    expect(exported).toMatch(/\bas handler\b/);
  });
});

test("building a bundle in another process and folder gives the same bytes", async () => {
  const again = few(2, entries);
  const module = new URL("../../components/bundle.ts", import.meta.url).href;
  const script = `
    const { bundleFiles } = await import(${JSON.stringify(module)});
    const bundles = ${JSON.stringify(again)}.map((entry) => bundleFiles(entry));
    process.stdout.write(JSON.stringify(bundles));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: tmpdir(),
    maxBuffer: 64 * 1024 * 1024,
  });
  expect((JSON.parse(stdout) as Files[]).map(digests)).toEqual(again.map((entry) => digests(built.get(entry) ?? {})));
});

describe("of the proxy's bundle a cold start reads", () => {
  const files = built.get(proxy.entry) ?? {};
  const read = loadedWith("index.mjs", files);
  const texts = [...read].map((path) => files[path] ?? "");

  test("a cold start of the proxy reads less than 1 MiB", () => {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeGreaterThan(100 * 1024);
    expect(bytes).toBeLessThan(1024 * 1024);
  });

  test("a cold start of the proxy reads no code that romanises names, which only the control plane does", () => {
    const holds = (files: Files = {}) => Object.values(files).some((text) => text.includes("Zhang"));
    expect([holds(built.get(control.entry)), holds(files)]).toEqual([true, false]);
  });

  test.each([
    ["the SDK's client of the model host, which only counts", "com.amazonaws.bedrockruntime"],
    ["the Messages endpoint, which only counts", "bedrock-mantle"],
    ["the hashing of keys", "Illegal salt"],
  ])("a cold start of the proxy reads no code of %s", (_, mark) => {
    const holders = Object.keys(files).filter((path) => files[path]?.includes(mark));
    expect(holders).toHaveLength(1);
    expect(holders.filter((path) => read.has(path))).toEqual([]);
  });
});

test("a function's archive contains exactly the bundle's files, side by side", async () => {
  const assets = (await bundle(proxy.entry).assets) as Record<string, pulumi.asset.FileAsset>;
  const read = async ([name, { path }]: [string, pulumi.asset.FileAsset]) =>
    [name, readFileSync(await path, "utf8")] as const;
  const texts = await Promise.all(Object.entries(assets).map(read));
  expect(digests(Object.fromEntries(texts))).toEqual(digests(built.get(proxy.entry) ?? {}));
  expect(Object.keys(assets).filter((path) => !/^[\w-]+\.mjs$/.test(path))).toEqual([]);
});

test("building an entry that does not exist is an error that names it", () => {
  expect(() => bundleFiles("handlers/nobody/lambda.ts")).toThrow(/handlers\/nobody\/lambda\.ts/);
});

/** What a module imports before it runs, itself included; `import()` comes later. */
function loadedWith(path: string, files: Files, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  for (const [, imported = ""] of files[path]?.matchAll(/\b(?:from|import)"\.\/([^"]+)"/g) ?? []) {
    loadedWith(imported, files, loaded);
  }
  return loaded;
}

function digests(files: Files): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, digest(text)]));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import type * as pulumi from "@pulumi/pulumi";
import { bundle, bundleText } from "../../components/bundle.ts";
import { proxy } from "../../handlers/proxy/contract.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const entries = globSync("handlers/*/lambda.ts", { cwd: root }).sort();
const built = new Map(entries.map((entry) => [entry, bundleText(entry)] as const));

describe.each([...built])("the bundle of %s", (entry, text) => {
  test("is the same bytes when built again", () => {
    expect(digest(bundleText(entry))).toBe(digest(text));
  });

  test("names no folder of the machine that built it", () => {
    for (const folder of [root, `${homedir()}/`, `${tmpdir()}/`, "file:///"]) {
      // Not `expect(text)`: a failure would print the whole bundle.
      expect([folder, text.includes(folder)]).toEqual([folder, false]);
    }
  });

  test("exports the handler that Lambda calls", () => {
    const exported = /export\{([^}]*)\};?\s*$/.exec(text)?.[1];
    expect(exported).toMatch(/\bas handler\b/);
  });
});

test("another process in another folder builds the same bytes", async () => {
  const module = new URL("../../components/bundle.ts", import.meta.url).href;
  const script = `
    const { bundleText } = await import(${JSON.stringify(module)});
    const texts = ${JSON.stringify(entries)}.map((entry) => bundleText(entry));
    process.stdout.write(JSON.stringify(texts));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: tmpdir(),
    maxBuffer: 64 * 1024 * 1024,
  });
  expect((JSON.parse(stdout) as string[]).map(digest)).toEqual([...built.values()].map(digest));
}, 30_000);

test("the proxy's bundle is under 1 MiB, since a cold start reads it whole", () => {
  expect(Buffer.byteLength(built.get(proxy.entry) ?? "")).toBeLessThan(1024 * 1024);
});

test("the archive holds one module and nothing else", async () => {
  const assets = await bundle(proxy.entry).assets;
  expect(Object.keys(assets)).toEqual(["index.mjs"]);
  const module = assets["index.mjs"] as pulumi.asset.StringAsset;
  expect(digest(await module.text)).toBe(digest(built.get(proxy.entry) ?? ""));
});

test("an entry that does not exist is an error that names it", () => {
  expect(() => bundleText("handlers/nobody/lambda.ts")).toThrow(/handlers\/nobody\/lambda\.ts/);
});

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { invokes } from "../local/outputs.ts";
import { serveEngine, type StubEngine } from "./support/pulumi-engine.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

let engine: StubEngine;
let r: unknown;
beforeAll(async () => {
  engine = await serveEngine(Object.fromEntries(Object.entries(invokes).map(([k, f]) => [k, (i: any) => f(i, "eu-central-1")])) as never);
  const t = performance.now();
  const doc = parse(await readFile(`${root}/Pulumi.dev.yaml`, "utf8"));
  const config = Object.fromEntries(Object.entries(doc.config).map(([k, v]) => [k.replace(":", ":config:"), typeof v === "string" ? v : JSON.stringify(v)]));
  r = await promisify(execFile)(process.execPath, [createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run"), "--monitor", engine.address, "--engine", engine.address, "--project", "archway", "--stack", "dev", "--pwd", root, "--dry-run", "--parallel", "4", "."], { cwd: root, env: { PATH: process.env.PATH, PULUMI_CONFIG: JSON.stringify(config), PULUMI_CONFIG_SECRET_KEYS: "[]" } }).catch((e) => e);
  console.log(performance.now() - t);
}, 30000);
afterAll(() => engine.close());
test("x", () => {
  console.log(r, engine.messages, engine.registered.map((x) => `${x.type} ${x.name} <- ${x.parent.split("::").slice(2).join("::")}`).join("\n"), engine.stackOutputs());
});

// Clients that are generated from the OpenAPI document work through a first day against a local stack: workspace, key, call, invite,
// remove. Each is generated anew, judged by its language's own tools, and used by a program as a customer would write it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { consoleToken } from "../../local/demo/app-client.ts";
import { signUp } from "../../local/demo/workspace.ts";
import type { Person } from "../../local/running-stack.ts";
import type { Stack } from "../../local/stack.ts";
import type { PythonTools } from "../support/python-environment.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

type Language = { name: string; start: (folder: string, tools: PythonTools) => Promise<Start> };
/** How a program is run once its client is made. */
type Start = { command: string; args: string[]; env?: Record<string, string> };

const languages: Language[] = [
  { name: "TypeScript", start: typeScript },
  { name: "Python", start: python },
];

/** @returns the exit code. */
export async function runFirstDays(stack: Stack, tools: PythonTools): Promise<number> {
  const document = await (await fetch(`${stack.at("api")}/v1/openapi.json`)).text();
  let failed = 0;
  for (const { name, start } of languages) {
    const folder = mkdtempSync(join(tmpdir(), "first-day-"));
    try {
      writeFileSync(join(folder, "openapi.json"), document);
      const owner = await signUp(stack, `owner@${name.toLowerCase()}.example`);
      const status = await withTokens(stack, owner, async (tokens) =>
        run(await start(folder, tools), { ARCHWAY_API: stack.at("api"), ARCHWAY_TOKENS: tokens, ARCHWAY_CLIENT: name }),
      );
      console.log(`${name}: the first day ${status === 0 ? "went well" : "failed"}`);
      if (status !== 0) failed = 1;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return failed;
}

/** A client and its program in one folder, checked by the compiler as strictly as it can. */
async function typeScript(folder: string): Promise<Start> {
  const generator = here("node_modules/@hey-api/openapi-ts/bin/run.js");
  const client = join(folder, "client");
  succeed(process.execPath, [
    generator,
    "-i",
    join(folder, "openapi.json"),
    "-o",
    client,
    "-c",
    "@hey-api/client-fetch",
  ]);
  const program = join(folder, "first-day.ts");
  copyFileSync(here("programs/first-day.ts"), program);
  const types = [
    "--typeRoots",
    here("../../node_modules/@types"),
    "--types",
    "node",
    "--lib",
    "es2024,dom,dom.iterable",
  ];
  const strict = ["--strict", "--noUncheckedIndexedAccess", "--module", "esnext", "--moduleResolution", "bundler"];
  const tsc = here("node_modules/typescript/bin/tsc");
  succeed(process.execPath, [tsc, "--noEmit", "--target", "es2024", "--ignoreConfig", ...types, ...strict, program]);
  const bundle = join(folder, "first-day.mjs");
  await build({ entryPoints: [program], outfile: bundle, bundle: true, platform: "node", format: "esm" });
  return { command: process.execPath, args: [bundle] };
}

/** A package and a program that imports it. The generator fails where the document has something that it cannot say in Python. */
async function python(folder: string, tools: PythonTools): Promise<Start> {
  const output = join(folder, "python");
  mkdirSync(output);
  const args = [
    "generate",
    "--path",
    join(folder, "openapi.json"),
    "--output-path",
    output,
    "--overwrite",
    "--fail-on-warning",
  ];
  const generator = tools.program("openapi-python-client");
  // It formats its code with the ruff that stands beside it.
  succeed(generator, args, { PATH: [dirname(generator), process.env.PATH].join(delimiter) });
  return { command: tools.program("python"), args: [here("programs/first_day.py")], env: { PYTHONPATH: output } };
}

/** Serves a fresh token of the person at each call, as a sign-in or a refresh would give it. */
async function withTokens<T>(stack: Stack, person: Person, use: (address: string) => Promise<T>): Promise<T> {
  const server = createServer(async (_request, response) => response.end(await consoleToken(stack, person)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function run({ command, args, env = {} }: Start, settings: Record<string, string>): Promise<number> {
  const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, ...settings, ...env } });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

/** @throws Error with the program's words unless it succeeds. */
function succeed(command: string, args: string[], env: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

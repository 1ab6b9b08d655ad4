// Clients that others made, each ready to run a program as a customer would write it: two that a generator makes of the OpenAPI document,
// and three libraries that sign people in.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { PythonTools } from "../support/python-environment.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** How a program is run once its client is made. */
export type Start = { command: string; args: string[]; env?: Record<string, string> };

type Client = {
  name: string;
  /** @param folder holds `openapi.json` */
  start: (folder: string, tools: PythonTools) => Promise<Start> | Start;
};

export const clients: Client[] = [
  { name: "TypeScript", start: typeScript },
  { name: "Python", start: python },
  { name: "openid-client", start: () => program("openid-client.ts") },
  { name: "oauth2-client", start: () => program("oauth2-client.ts") },
  {
    name: "Authlib",
    start: (_, tools) => ({ command: tools.program("python"), args: [here("programs/authlib_client.py")] }),
  },
];

export const pythonPackages = ["openapi-python-client==0.29.1", "ruff==0.17.6", "Authlib==1.9.9"];

function program(name: string): Start {
  return { command: process.execPath, args: [here(`programs/${name}`)] };
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

/** @throws Error with the program's words unless it succeeds. */
function succeed(command: string, args: string[], env: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

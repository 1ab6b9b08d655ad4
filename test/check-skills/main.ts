// `npm run check:skills`: the skills server before judges that others wrote, on a stack of this machine. Needs a Chromium, and Python 3.10 for two of them.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { consoleToken, skillsToken } from "../../local/demo/app-client.ts";
import { callControlPlane } from "../../local/demo/workspace.ts";
import { startLocal } from "../../local/stack.ts";
import { skillsBinary } from "../../packages/skills-mcp/binary.ts";
import { bundle } from "../../packages/skills-mcp/build.ts";
import { mcpbFolder } from "../../packages/skills-mcp/mcpb.ts";
import { installPythonTools } from "../support/python-environment.ts";
import { type Heard, ScriptedModel } from "../support/skills/scripted-model.ts";
import { instructions } from "../support/skills/skill-files.ts";
import { callText, freeSkillsCallbacks, SkillsSeat } from "../support/skills/skills-server.ts";
import { type Assistant, assistants, codex, gemini, openCode } from "./assistants.ts";
import { conform } from "./conformance.ts";
import { conversation } from "./conversation.ts";
import { visitPages } from "./pages.ts";
import { expectText, started } from "./started.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "archway-check-skills-"));
const failed: string[] = [];
const greeting = { "SKILL.md": instructions("greeting", "", "# Say hello\n"), "notes/tone.md": "Be kind.\n" };

const model = await ScriptedModel.start();
const stack = await startLocal({
  port: 0,
  ephemeral: true,
  config: await freeSkillsCallbacks(),
  upstream: { url: model.url },
});
const { demo } = stack;
if (!demo) throw new Error("the stack has no demo workspace");
const api = stack.at("api");
const { key } = (await callControlPlane(stack, await consoleToken(stack, demo.developer), "POST", "/v1/keys", {
  name: "check",
})) as { key: string };
const models = { proxy: `${stack.edge}/@${demo.slug}.proxy/vendor`, key, direct: model.url };
const program = [process.execPath, await bundle(join(work, "archway-skills.cjs"))];
const seat = (await SkillsSeat.build(api, program))();
try {
  await seat.signIn(demo.developer);
  for (const assistant of assistants) {
    await judge(`${assistant.name}, without a terminal, in one conversation`, () => talk(assistant));
  }
  await judge("pages in a real Chromium, by axe-core", seePages);
  await judge("their own lists of servers, with what setup wrote", listServers);
  await judge("Inspector by stdio, skills/list --verify", inspect);
  await judge("conformance suite over HTTP", () => conform(seat));
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

/** `setup` in an empty home, one question, and what the tools answered in that conversation. */
async function talk({ name, speech, ask }: Assistant): Promise<string> {
  const skill = name === "claude-code" ? "greeting" : `greeting-${name}`;
  const set = await seat.run(["setup", name, "--url", api]);
  if (set.code !== 0) throw new Error(set.err);
  const heard = new Map<string, Heard>();
  const plan = {
    folder: seat.write(skill, { ...greeting, "SKILL.md": instructions(skill, "", "# Say hello\n") }),
    name: skill,
    activation: `${program.join(" ")} activate ${skill} 1`,
    ownerActivates: () => activate(skill),
  };
  model.follow(conversation(speech, plan, heard));
  const { file, args, env } = ask(models, seat);
  const said = await started(file, args, {
    env: { ...seat.environment, PATH: process.env.PATH ?? "", ...env },
    cwd: seat.project,
  });
  if (!model.isOver) throw new Error(`it ended too early: ${said}`);
  const result = (of: string) => heard.get(of)?.lastResult ?? "";
  expectText(result("upload"), `Version 1 of ${skill} is uploaded`);
  expectText(result("activate"), `Version 1 of ${skill} is not activated`);
  expectText(result("shell"), "needs a person at a terminal");
  expectText(result("instructions"), "# Say hello");
  expectText(result("instructions"), "It grants no permission");
  if (!/words\W+3/.test(result("script"))) throw new Error(`the script answered ${result("script")}`);
  const isListed = heard
    .get("script")
    ?.tools.some((tool) => tool.includes(skill) || tool.includes(skill.replaceAll("-", "_")));
  return `uploaded, could not activate by tool or by shell, and once the owner had activated it used it ${speech.listens ? "as a tool of its own" : "by invoke_skill"}; a script answered; the new tool is ${isListed ? "" : "not "}among those that its model is shown`;
}

async function activate(name: string): Promise<void> {
  const token = await skillsToken(stack, demo?.owner ?? never());
  const path = `/v1/skills/${name}`;
  const read = async (of: string) =>
    (await fetch(`${api}${path}${of}`, { headers: { authorization: `Bearer ${token}` } })).json() as Promise<
      Record<string, string>
    >;
  const [{ digest }, { env_digest }] = [await read("/versions/1"), await read("/env")];
  await callControlPlane(stack, token, "POST", `${path}/activate`, { version: 1, digest, env_digest });
}

/** By each client's own list of servers: opencode also connects, Gemini CLI does so only in a folder that its person trusts. */
async function listServers(): Promise<string> {
  const env = { ...seat.environment, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const lists = {
    opencode: { words: openCode(), shows: /✓ skills.*connected/s },
    codex: { words: codex(), shows: /skills.*enabled/s },
    gemini: { words: gemini(), shows: /skills: .*serve/ },
  };
  for (const [name, { words, shows }] of Object.entries(lists)) {
    const set = await seat.run(["setup", name, "--url", api]);
    if (set.code !== 0) throw new Error(set.err);
    const said = await started(words.file, [...words.args, "mcp", "list"], { env, cwd: seat.project });
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

function never(): never {
  throw new Error("the stack has no demo workspace");
}

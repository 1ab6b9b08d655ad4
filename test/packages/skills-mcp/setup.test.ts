// What `setup` writes into each client's settings, and what it leaves alone.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { run } from "../../../packages/skills-mcp/cli.ts";
import { archwaySkills } from "../../../packages/skills-mcp/program.ts";
import { aMachine, type TestMachine } from "../../support/sign-in/test-machine.ts";

let machine: TestMachine;
beforeEach(() => {
  machine = aMachine({}, archwaySkills);
});

const url = ["--url", "http://127.0.0.1:9"];

function write(path: string, text: string): string {
  const file = join(machine.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
const read = (path: string) => readFileSync(join(machine.home, path), "utf8");

describe("setup", () => {
  test.each([
    ["claude-code", ".claude.json", "mcpServers"],
    ["gemini", ".gemini/settings.json", "mcpServers"],
  ])("archway-skills setup gives %s one entry, and keeps the others", async (client, file, key) => {
    write(file, '{ "theme": "dark", "mcpServers": { "other": { "command": "x" } } }');
    expect(await run(["setup", client, ...url], machine)).toBe(0);
    const { [key]: servers, theme } = JSON.parse(read(file));
    expect([theme, Object.keys(servers), servers.skills.args.at(-1)]).toEqual(["dark", ["other", "skills"], "serve"]);
    const before = read(file);
    await run(["setup", client, ...url], machine);
    expect(read(file)).toBe(before);
  });

  test("archway-skills setup gives opencode its command as one list", async () => {
    await run(["setup", "opencode", "--read-only", ...url], machine);
    const { mcp } = JSON.parse(read(".config/opencode/opencode.json"));
    expect(mcp.skills).toMatchObject({ type: "local", enabled: true });
    expect(mcp.skills.command.slice(-2)).toEqual(["serve", "--read-only"]);
  });

  test("archway-skills setup gives Codex a table, replaces only its own, and keeps comments", async () => {
    write(
      ".codex/config.toml",
      '# mine\nmodel = "m"\n\n[mcp_servers.skills]\ncommand = "old"\n\n[mcp_servers.other]\ncommand = "x"\n',
    );
    await run(["setup", "codex", ...url], machine);
    const text = read(".codex/config.toml");
    expect(text).toMatch(
      /^# mine\nmodel = "m"\n\n\[mcp_servers\.skills\]\ncommand = "[^\n]+"\nargs = \[[^\n]*"serve"\]\n/,
    );
    expect([text.includes('"old"'), text.endsWith('\n[mcp_servers.other]\ncommand = "x"\n')]).toEqual([false, true]);
    await run(["setup", "codex", ...url], machine);
    expect(read(".codex/config.toml")).toBe(text);
  });

  test("archway-skills setup changes no entry of Codex that is written in another way", async () => {
    const text = 'mcp_servers = { skills = { command = "x" } }\n';
    write(".codex/config.toml", text);
    expect(await run(["setup", "codex", ...url], machine)).toBe(1);
    expect(read(".codex/config.toml")).toBe(text);
  });

  test("archway-skills setup --print shows the settings and changes nothing, and an unknown client is refused", async () => {
    expect(await run(["setup", "claude-code", "--print", ...url], machine)).toBe(0);
    expect(machine.printed.join("")).toContain('"skills"');
    expect(existsSync(join(machine.home, ".claude.json"))).toBe(false);
    expect(await run(["setup", "emacs"], machine)).toBe(2);
  });
});

describe("without a terminal", () => {
  test.each([[["activate", "x"]], [["secret", "set", "X"]]])(
    "without a terminal the command %j is refused before it asks anything",
    async (args) => {
      expect(await run(args, machine)).toBe(1);
      expect(machine.said.join("\n")).toContain("needs a person at a terminal");
    },
  );
});

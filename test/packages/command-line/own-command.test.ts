import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { ownCommand } from "../../../packages/command-line/own-command.ts";
import { archway } from "../../../packages/token-helper/program.ts";

const folder = mkdtempSync(join(tmpdir(), "archway-"));
const script = join(folder, "archway.cjs");
writeFileSync(script, "");
const own = { executable: process.execPath, script };

test("a client starts the archway command by its name if it is on the PATH, otherwise by its files", () => {
  const linux = { program: archway, platform: "linux" as const, env: { PATH: folder } };
  expect(ownCommand(linux, ["token"], own).words).toEqual([process.execPath, script, "token"]);
  symlinkSync(script, join(folder, "archway"));
  expect(ownCommand(linux, ["token"], own)).toEqual({ words: ["archway", "token"], line: "archway token" });
  expect(ownCommand(linux, ["token", "--profile", "work"], own).line).toBe("archway token --profile work");
});

test("Windows also starts the archway command by its name, which an upgrade of Node does not move", () => {
  writeFileSync(join(folder, "archway.cmd"), "");
  const windows = { program: archway, platform: "win32" as const, env: { PATH: folder } };
  expect(ownCommand(windows, ["token"], own).words).toEqual(["archway", "token"]);
});

test("another program called archway is not used as the command", () => {
  const other = mkdtempSync(join(tmpdir(), "archway-"));
  writeFileSync(join(other, "archway"), "");
  expect(ownCommand({ program: archway, platform: "linux", env: { PATH: other } }, ["token"], own).words[1]).toBe(
    script,
  );
});

test("a prebuilt binary is started as its own script", () => {
  const binary = { executable: script, script };
  expect(ownCommand({ program: archway, platform: "linux", env: {} }, ["token"], binary).words).toEqual([
    script,
    "token",
  ]);
});

test.each([
  "/home/ann/.npm/_npx/1a2b/node_modules/.bin/archway",
  "/home/ann/.cache/pnpm/dlx/1a/node_modules/archway.cjs",
])("a command that is run only once is not written into settings: %s", (file) => {
  const once = { executable: process.execPath, script: file };
  expect(() => ownCommand({ program: archway, platform: "linux", env: {} }, ["token"], once)).toThrow(
    "install it first",
  );
});

test.each([
  ["linux", "/home/a b/it's", "'/home/a b/it'\\''s'"],
  ["win32", "C:\\Program Files\\archway.cjs", '"C:\\Program Files\\archway.cjs"'],
  ["win32", "C:\\archway.cjs", "C:\\archway.cjs"],
] as const)("a command's argument is quoted for the shell on %s: %s as %s", (platform, file, quoted) => {
  const { line } = ownCommand({ program: archway, platform, env: {} }, ["token"], {
    executable: "/node",
    script: file,
  });
  expect(line).toBe(`/node ${quoted} token`);
});

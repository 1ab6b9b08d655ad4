import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { helperCommand } from "../../../packages/token-helper/helper-command.ts";

const folder = mkdtempSync(join(tmpdir(), "archway-"));
const script = join(folder, "archway.cjs");
writeFileSync(script, "");
const own = { executable: process.execPath, script };

test("it is started by its files where the path does not have it, by its name where it does", () => {
  const linux = { platform: "linux" as const, env: { PATH: folder } };
  expect(helperCommand(linux, "default", own).words).toEqual([process.execPath, script, "token"]);
  symlinkSync(script, join(folder, "archway"));
  expect(helperCommand(linux, "default", own)).toEqual({ words: ["archway", "token"], line: "archway token" });
  expect(helperCommand(linux, "work", own).line).toBe("archway token --profile work");
});

test("Windows starts it by its name, too, which an upgrade of Node does not move", () => {
  writeFileSync(join(folder, "archway.cmd"), "");
  const windows = { platform: "win32" as const, env: { PATH: folder } };
  expect(helperCommand(windows, "default", own).words).toEqual(["archway", "token"]);
});

test("another program of that name is not it", () => {
  const other = mkdtempSync(join(tmpdir(), "archway-"));
  writeFileSync(join(other, "archway"), "");
  expect(helperCommand({ platform: "linux", env: { PATH: other } }, "default", own).words[1]).toBe(script);
});

test("a prebuilt binary is its own script", () => {
  const binary = { executable: script, script };
  expect(helperCommand({ platform: "linux", env: {} }, "default", binary).words).toEqual([script, "token"]);
});

test.each([
  "/home/ann/.npm/_npx/1a2b/node_modules/.bin/archway",
  "/home/ann/.cache/pnpm/dlx/1a/node_modules/archway.cjs",
])("what is run once is no command for later: %s", (file) => {
  const once = { executable: process.execPath, script: file };
  expect(() => helperCommand({ platform: "linux", env: {} }, "default", once)).toThrow("install it first");
});

test.each([
  ["linux", "/home/a b/it's", "'/home/a b/it'\\''s'"],
  ["win32", "C:\\Program Files\\archway.cjs", '"C:\\Program Files\\archway.cjs"'],
  ["win32", "C:\\archway.cjs", "C:\\archway.cjs"],
] as const)("on %s the shell takes %s as %s", (platform, file, quoted) => {
  const { line } = helperCommand({ platform, env: {} }, "default", { executable: "/node", script: file });
  expect(line).toBe(`/node ${quoted} token`);
});

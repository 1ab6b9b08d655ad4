// What is read of a folder here, where files may be read and written, and what is written.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { allowedFolders, newPlaceInside, placeInside } from "../../../packages/skills-mcp/folder/allowed-places.ts";
import { examineFolder, problemLines, readSkillFolder } from "../../../packages/skills-mcp/folder/skill-folder.ts";
import { writeSkill } from "../../../packages/skills-mcp/folder/write-skill.ts";
import { instructions } from "../../support/skills/skill-files.ts";

let home: string;
let skill: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "archway-folder-")));
  skill = join(home, "project", "greeting");
  mkdirSync(join(skill, "notes"), { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), instructions("greeting"));
  writeFileSync(join(skill, "notes", "tone.md"), "Be kind.\n");
});

describe("a folder", () => {
  test("a skill's folder is read completely, except hidden files and installed packages, which are named", async () => {
    mkdirSync(join(skill, ".git"));
    mkdirSync(join(skill, "node_modules"));
    writeFileSync(join(skill, ".env"), "TOKEN=1");
    const { name, files, skipped } = await readSkillFolder(skill);
    expect([name, files.map(({ path }) => path), skipped]).toEqual([
      "greeting",
      ["SKILL.md", "notes/tone.md"],
      [".env", ".git", "node_modules"],
    ]);
    expect(problemLines(examineFolder({ name, files, skipped }))).toEqual([]);
  });

  test("a skill's folder with a link to a file is refused, and the link's target is never read", async () => {
    writeFileSync(join(home, "id_ed25519"), "a key");
    symlinkSync(join(home, "id_ed25519"), join(skill, "notes", "key.md"));
    await expect(readSkillFolder(skill)).rejects.toThrow("notes/key.md is a link");
  });

  test("a skill's folder with a link to a folder is refused as well", async () => {
    symlinkSync(home, join(skill, "all"));
    await expect(readSkillFolder(skill)).rejects.toThrow("all is a link");
  });

  test.each([
    ["201 files", () => Array.from({ length: 200 }, (_, n) => [`f${n}.md`, "x"] as const), "at most 200"],
    ["3 MB and a byte", () => [["large.bin", "x".repeat(3 * 1024 * 1024)] as const], "bytes, at most"],
  ])("a skill's folder of %s is refused before it is read", async (_what, more, says) => {
    for (const [path, content] of more()) writeFileSync(join(skill, path), content);
    await expect(readSkillFolder(skill)).rejects.toThrow(says);
  });

  test("a path that is not a skill's folder is reported", async () => {
    await expect(readSkillFolder(join(home, "nowhere"))).rejects.toThrow("is no folder");
    await expect(readSkillFolder(join(skill, "SKILL.md"))).rejects.toThrow("is no folder");
  });
});

describe("an assistant's files", () => {
  test("an assistant's files must be in the client's roots, or in the working directory if it names none", () => {
    expect(allowedFolders([`file://${home}/a%20b`, "https://example.com/x", "file:///%"], "/work")).toEqual([
      `${home}/a b`,
    ]);
    expect(allowedFolders([], "/work")).toEqual(["/work"]);
  });

  test.each([
    ["the folder above", ".."],
    ["a way out of it", "greeting/../../other"],
    ["a folder whose name begins like it", "../project-2"],
    ["a link out of it", "out"],
    ["an absolute path", "/etc"],
  ])("an assistant's files cannot be %s", (_what, path) => {
    const project = join(home, "project");
    mkdirSync(join(home, "other"));
    mkdirSync(join(home, "project-2"));
    symlinkSync(join(home, "other"), join(project, "out"));
    expect(() => placeInside(path, [project], project)).toThrow("lies outside");
    expect(() => newPlaceInside(path, [project], project)).toThrow("lies outside");
  });

  test("an assistant's files are found by a path within the project, and created there", () => {
    const project = join(home, "project");
    expect(placeInside("greeting", [project], project)).toBe(skill);
    expect(newPlaceInside("new", [project], project)).toBe(join(project, "new"));
    expect(() => placeInside("missing", [project], project)).toThrow("is not there");
    expect(() => newPlaceInside("missing/deep", [project], project)).toThrow("is not there");
  });
});

describe("what is written", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test("a downloaded skill is a new folder with exactly its bytes, without executable files", async () => {
    const folder = join(home, "downloaded", "greeting");
    await writeSkill(folder, [
      { path: "SKILL.md", content: bytes("a") },
      { path: "scripts/run.sh", content: bytes("#!/bin/sh\n") },
    ]);
    expect(readFileSync(join(folder, "scripts", "run.sh"), "utf8")).toBe("#!/bin/sh\n");
    expect(statSync(join(folder, "scripts", "run.sh")).mode & 0o111).toBe(0);
  });

  test("a downloaded skill overwrites nothing", async () => {
    await expect(writeSkill(skill, [{ path: "SKILL.md", content: bytes("b") }])).rejects.toThrow(
      "nothing is overwritten",
    );
    expect(readFileSync(join(skill, "SKILL.md"), "utf8")).toBe(instructions("greeting"));
  });

  test.each(["../escape.md", "/etc/passwd", "a\\b.md"])("a skill is not downloaded with the path %s", async (path) => {
    const folder = join(home, "new");
    await expect(writeSkill(folder, [{ path, content: bytes("x") }])).rejects.toThrow("must");
    expect(readdirSync(home)).toEqual(["project"]);
  });
});

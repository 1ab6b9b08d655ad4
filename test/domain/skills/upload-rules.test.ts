import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { uploadLimits } from "../../../domain/skills/limits.ts";
import type { SkillFile } from "../../../domain/skills/skill-file.ts";
import { examineSkill } from "../../../domain/skills/upload-rules.ts";
import { sizes } from "../../support/sizes.ts";
import { folder, instructions, scriptSkill } from "../../support/skills/skill-files.ts";

const said = (files: Record<string, string | Uint8Array>, name?: string) =>
  (examineSkill(folder(files), name).problems ?? []).map(({ path, message }) => `${path}: ${message}`);
const markdown = { "SKILL.md": instructions() };

test("a folder that follows the rules is a skill with its manifest and digest, whatever the order of its files", () => {
  const files = folder(scriptSkill());
  const { skill } = examineSkill(files, "weekly-report");
  expect(skill).toMatchObject({
    ...{ name: "weekly-report", description: "Writes the weekly report", kind: "script", warnings: [] },
    run: { path: "scripts/report.py", network: "none", timeout_seconds: 60 },
  });
  expect(examineSkill(files.toReversed()).skill?.digest).toBe(skill?.digest);
  const other = folder({ ...scriptSkill(), "scripts/report.py": "print('hullo')\n" });
  expect(examineSkill(other).skill?.digest).not.toBe(skill?.digest);
});

test("the name of an uploaded folder must be the skill's name", () => {
  expect(said(markdown, "daily-report")).toEqual(["SKILL.md: name: must be that of the folder, which is daily-report"]);
  expect(said({ "SKILL.md": instructions("a".repeat(49)) })).toEqual([
    "SKILL.md: name: must be 1 to 48 of a-z and 0-9 with single hyphens between them",
  ]);
});

describe("sizes", () => {
  const bytes = (size: number) => new Uint8Array(size).fill(65);

  test("an upload of 200 files is accepted, and one of 201 is refused", () => {
    const files = (count: number) =>
      Object.fromEntries([...Array(count - 1).keys()].map((place) => [`f/${place}.txt`, "x"]));
    expect(said({ ...markdown, ...files(200) })).toEqual([]);
    expect(said({ ...markdown, ...files(201) })).toEqual([": has 201 files, at most 200 are allowed"]);
  });

  test("an upload one byte above the limit of a file, of SKILL.md or of all files is refused, and the limit is named", () => {
    const mega = uploadLimits.fileBytes;
    expect(said({ ...markdown, "a.txt": bytes(mega) })).toEqual([]);
    expect(said({ ...markdown, "a.txt": bytes(mega + 1) })).toEqual([
      "a.txt: has 1048577 bytes, at most 1048576 are allowed",
    ]);
    const long = instructions("weekly-report", "", "x".repeat(64 * 1024));
    expect(said({ "SKILL.md": long })[0]).toMatch(/^SKILL.md: has 65\d+ bytes, at most 65536 are allowed$/);
  });
});

test.each([
  ["nothing at all", {}, "SKILL.md: is missing"],
  ["SKILL.md in small letters", { "skill.md": instructions() }, "SKILL.md: is missing"],
  ["SKILL.md that is no text", { "SKILL.md": Uint8Array.from([0xff, 0xfe]) }, "SKILL.md: must be a text in UTF-8"],
  ["a skill within the skill", { ...markdown, "other/Skill.MD": "x" }, "other/Skill.MD: is a skill within the skill"],
  ["a file outside", { ...markdown, "../.ssh/id_rsa": "x" }, "../.ssh/id_rsa: must not have empty steps, . or .."],
  ["compiled Python", { ...markdown, "a/__pycache__/x.pyc": "x" }, "a/__pycache__/x.pyc: is compiled code"],
  [
    "a private key",
    { ...markdown, "notes.txt": "see\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc" },
    "notes.txt: looks as if it held a private key in line 2",
  ],
  [
    "text that nobody sees",
    { "SKILL.md": instructions("weekly-report", "", "Do it\u202etxt\n") },
    "SKILL.md: has a character that nobody sees in line 5: U+202E",
  ],
  [
    "a script that is not there",
    { "SKILL.md": instructions("weekly-report", "metadata:\n  archway-run: a.py") },
    "SKILL.md: metadata.archway-run: there is no file a.py",
  ],
])("an upload with %s is refused with the file and the reason", (_, files, reason) => {
  expect(said(files as Record<string, string>).join("\n")).toContain(reason);
});

describe("whatever is uploaded", () => {
  const path = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc
      .array(fc.constantFrom("a", "B", "..", ".", "", "SKILL.md", "ä", "a\u0308", "con", "x.pyc"), { maxLength: 4 })
      .map((steps) => steps.join("/")),
  );
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 80 }).map((text) => new TextEncoder().encode(text)),
  );
  const head = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.json({ maxDepth: 6 }),
    fc.constantFrom("[".repeat(9_000), "a: &a [*a]", "? {a: b}\n: c", "{".repeat(5_000), "!!binary x", "a: 1.10"),
  );
  const markdowns = head.map((text) => ({
    path: "SKILL.md",
    content: new TextEncoder().encode(`---\nname: a\ndescription: b\n${text}\n---\n`),
  }));
  const files = fc.tuple(markdowns, fc.array(fc.record({ path, content }), { maxLength: 5 }));

  test("every upload is either a skill or refused with reasons, and never causes an error", () => {
    fc.assert(
      fc.property(files, ([markdown, others]) => {
        const { skill, problems } = examineSkill([markdown, ...others]);
        if (!skill) return problems.length > 0 && problems.every(({ message }) => message !== "");
        // What is accepted can be kept as JSON and come back as it was.
        return JSON.stringify(JSON.parse(JSON.stringify(skill))) === JSON.stringify(skill);
      }),
      { numRuns: sizes.fuzz },
    );
  });

  test("an accepted folder has no two files that are the same on some system, and none outside it", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ path, content }), { maxLength: 6 }), (others) => {
        const all: SkillFile[] = [...folder(markdown), ...others];
        const { skill } = examineSkill(all);
        if (!skill) return true;
        const names = skill.files.map((file) => file.path);
        const folded = names.map((name) => name.normalize("NFC").toLowerCase());
        return new Set(folded).size === names.length && names.every((name) => !/(^|\/)\.|^\/|\\|:|%/.test(name));
      }),
      { numRuns: sizes.fuzz },
    );
  });
});

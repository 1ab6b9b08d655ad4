// The examples of docs/skills.md are skills that an upload takes.
import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { examineSkill } from "../../domain/skills/upload-rules.ts";
import { folder } from "../support/skills/skill-files.ts";

const document = await readFile(new URL("../../docs/skills.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...document.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text);
const [instructions = "", withScript = ""] = blocks("markdown");

test("the skill of instructions", () => {
  const files = folder({ "SKILL.md": instructions, "references/wording.md": "Be brief.\n" });
  expect(examineSkill(files, "weekly-report").skill).toMatchObject({ kind: "instructions", warnings: [] });
});

test("the skill with a script", () => {
  const [schema = "", script = ""] = [...blocks("json"), ...blocks("python")];
  const files = folder({ "SKILL.md": withScript, "input.json": schema, "scripts/count.py": script });
  expect(examineSkill(files, "ticket-count").skill).toMatchObject({
    kind: "script",
    run: { path: "scripts/count.py", network: "internet", timeout_seconds: 30 },
    input_schema: { required: ["project"] },
  });
});

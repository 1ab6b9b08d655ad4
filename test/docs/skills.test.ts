// The examples of docs/skills.md are skills that an upload takes.
import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { examineSkill } from "../../domain/skills/upload-rules.ts";
import { folder } from "../support/skills/skill-files.ts";

const document = await readFile(new URL("../../docs/skills.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...document.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text);
const [instructions = "", withScript = ""] = blocks("markdown");

test("the skill of instructions in docs/skills.md is valid", () => {
  const files = folder({ "SKILL.md": instructions, "references/wording.md": "Be brief.\n" });
  expect(examineSkill(files, "weekly-report").skill).toMatchObject({ kind: "instructions", warnings: [] });
});

test("the skill with a script in docs/skills.md is valid", () => {
  const [schema = "", script = ""] = [...blocks("json"), ...blocks("python")];
  const files = folder({ "SKILL.md": withScript, "input.json": schema, "scripts/sign.py": script });
  expect(examineSkill(files, "sign-payload").skill).toMatchObject({
    kind: "script",
    warnings: [],
    run: { path: "scripts/sign.py", network: "none", timeout_seconds: 10 },
    input_schema: { required: ["payload"] },
  });
});

// `check DIR`: a folder against the platform's own rules, without a sign-in.

import { shown } from "../../../domain/skills/hidden-text.ts";
import type { Command } from "../../command-line/command.ts";
import { exitCodes, Failure } from "../../command-line/failure.ts";
import { examineFolder, readSkillFolder } from "../folder/skill-folder.ts";

export const check: Command = async (machine, options, [directory]) => {
  if (directory === undefined) throw new Failure("usage", "check: name the folder of a skill");
  const folder = await readSkillFolder(directory);
  const { skill, problems = [] } = examineFolder(folder);
  const warnings = skill?.warnings ?? [];
  if (options.json) {
    const { name, kind, digest } = skill ?? { name: folder.name };
    const facts = { name, kind, digest, problems, warnings, skipped: folder.skipped };
    machine.out(`${JSON.stringify(facts, null, 2)}\n`);
  } else {
    for (const { path, message } of problems) machine.out(`${path || folder.name}: ${message}\n`);
    for (const { path = folder.name, line, message } of warnings)
      machine.out(`${path}${line === undefined ? "" : `:${line}`}: note: ${message}\n`);
    if (folder.skipped.length > 0) machine.say(`Left out: ${folder.skipped.map(shown).join(", ")}`);
    if (skill)
      machine.say(`${skill.name} is a valid skill (${skill.kind}, ${skill.files.length} files, ${skill.digest}).`);
  }
  return skill ? 0 : exitCodes.failed;
};

// `upload DIR`: a folder becomes a new skill, or its next version.
import { resolve } from "node:path";
import { type Command, textOption } from "../../command-line/command.ts";
import { Failure, oneLine } from "../../command-line/failure.ts";
import { openSession } from "../../sign-in/session.ts";
import { SkillsApi } from "../api/skills-api.ts";
import { examineFolder, problemLines, readSkillFolder } from "../folder/skill-folder.ts";
import { uploaded } from "../tools/sharing.ts";

export const upload: Command = async (machine, options, [directory]) => {
  if (directory === undefined) throw new Failure("usage", "upload: name the folder of a skill");
  const folder = await readSkillFolder(resolve(directory));
  const problems = problemLines(examineFolder(folder));
  if (problems.length > 0) throw new Failure("failed", `${folder.name} is no valid skill: ${problems.join("; ")}`);
  const api = new SkillsApi(openSession(machine, textOption(options, "profile")), true);
  const version = await api.upload(folder.name, folder.files, textOption(options, "change"));
  for (const line of uploaded(version, folder.skipped)) machine.say(oneLine(line));
  return 0;
};

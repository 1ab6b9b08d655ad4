// Invoking a skill of instructions: its SKILL.md and its list of files, or the text of one of them.
import type { CallToolResult } from "@modelcontextprotocol/server";
import { instructionsPath, utf8TextOf } from "../../../domain/skills/skill-file.ts";
import { Failure } from "../../command-line/failure.ts";
import type { SkillDetail, Version } from "../api/shapes.ts";
import type { SkillsApi } from "../api/skills-api.ts";
import type { Workspace } from "../server/active-skills.ts";
import { text } from "../server/answer.ts";
import { originLine, originOf } from "../server/origin.ts";

type Source = { api: SkillsApi; workspace: Workspace; skill: Omit<SkillDetail, "versions">; version: Version };

/** Text alone: of an answer with a structure a model sees no text. @throws Failure. */
export async function readInstructions(
  { api, workspace, skill, version }: Source,
  path?: string,
): Promise<CallToolResult> {
  const { name, files } = version;
  const wanted = path ?? instructionsPath;
  const file = files.find((each) => each.path === wanted);
  if (!file) throw new Failure("failed", `${name} has no file ${wanted}: ${files.map((each) => each.path).join(", ")}`);
  const content = utf8TextOf({ content: await api.file(name, version.version, file) });
  if (content === undefined)
    throw new Failure("failed", `${wanted} is no text: download_skill writes it into a folder`);
  const origin = originLine(originOf(workspace, skill, version.version));
  const others = files.filter((each) => each.path !== instructionsPath).map((each) => each.path);
  const list = path === undefined && others.length > 0 ? [`Its other files, each by path: ${others.join(", ")}`] : [];
  return text(origin, content, ...list);
}

// Tools between a folder here and the workspace: uploading a skill, and writing one into a folder.
import { join } from "node:path";
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { uploadLimits } from "../../../domain/skills/limits.ts";
import { Failure } from "../../command-line/failure.ts";
import type { Version } from "../api/shapes.ts";
import { newPlaceInside, placeInside } from "../folder/allowed-places.ts";
import { examineFolder, problemLines, readSkillFolder } from "../folder/skill-folder.ts";
import { writeSkill } from "../folder/write-skill.ts";
import { text } from "../server/answer.ts";
import { skillName, versionNumber } from "./reading.ts";
import { changing, registerTool, type Services } from "./tool.ts";

const directory = z.string().min(1).max(4096).describe("A folder inside the project, absolute or relative to it");

export function registerUpload(services: Services, server: McpServer): void {
  registerTool(
    services,
    server,
    "upload_skill",
    {
      title: "Upload a skill",
      description:
        "Uploads a folder with a SKILL.md as a new skill or the next version of one. It is used by nobody until the workspace's owner has activated it.",
      input: z.object({
        directory,
        change: z.string().max(uploadLimits.changeLength).optional().describe("What is new in it, for the reviewer"),
      }),
      hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async (input, { api, folders, workingDirectory }) => {
      const folder = await readSkillFolder(placeInside(input.directory, folders(), workingDirectory));
      const problems = problemLines(examineFolder(folder));
      if (problems.length > 0)
        throw new Failure("failed", [`${folder.name} is no valid skill:`, ...problems].join("\n"));
      const version = await api.upload(folder.name, folder.files, input.change);
      return text(...uploaded(version, folder.skipped));
    },
  );
}

/** The result of an upload, as lines for people and models. */
export function uploaded({ name, version, digest, warnings, is_new }: Version, skipped: string[]): string[] {
  const first = is_new === false ? "is there already, with the same content" : "is uploaded";
  const looks = warnings.map(({ path, line, message }) =>
    [path, line === undefined ? undefined : `line ${line}`, message].filter(Boolean).join(": "),
  );
  return [
    `Version ${version} of ${name} ${first} (${digest}).`,
    ...(skipped.length > 0 ? [`Left out: ${skipped.join(", ")}.`] : []),
    ...(looks.length > 0 ? ["The reviewer will be shown:", ...looks] : []),
    `It is not active: the workspace's owner reviews and activates it, by activate_skill or archway-skills activate ${name} ${version}.`,
  ];
}

export function registerDownload(services: Services, server: McpServer): void {
  registerTool(
    services,
    server,
    "download_skill",
    {
      title: "Download a skill",
      description:
        "Writes the files of a skill into a new folder of its name. Nothing is overwritten, and nothing becomes executable.",
      input: z.object({ name: skillName, version: versionNumber.optional(), directory }),
      hints: changing,
    },
    async ({ name, version, directory }, { api, folders, workingDirectory }) => {
      const above = newPlaceInside(directory, folders(), workingDirectory);
      const skill = await api.skill(name);
      const number = version ?? skill.active_version ?? skill.latest_version;
      const { files } = await api.version(name, number);
      const contents = [...(await api.files(name, number, files))].map(([path, content]) => ({ path, content }));
      await writeSkill(join(above, name), contents);
      return text(`Version ${number} of ${name} is in ${join(above, name)}, ${files.length} files.`);
    },
  );
}

// Tools that read: which skills and secrets there are, and what a skill holds.
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { utf8TextOf } from "../../../domain/skills/skill-file.ts";
import { Failure } from "../../command-line/failure.ts";
import type { Skill } from "../api/shapes.ts";
import { structure, text } from "../server/answer.ts";
import { originLine, originOf } from "../server/origin.ts";
import { reading, registerTool, type Services } from "./tool.ts";

export const skillName = z.string().min(1).max(64).describe("The skill's name");
export const versionNumber = z.int().min(1).describe("Its version; the active one unless given");

export function registerReading(services: Services, server: McpServer): void {
  registerTool(
    services,
    server,
    "list_skills",
    {
      title: "List skills",
      description: "The skills of the workspace: what each is for, whether it is active, and its versions.",
      input: z.object({ status: z.enum(["active", "inactive"]).optional().describe("Only these; all unless given") }),
      hints: reading,
    },
    async ({ status }, { api, active }) => {
      // Listing skills reads them anew, so that their tools are there from then on.
      await active.refresh();
      const workspace = await active.currentWorkspace();
      const all = (await api.skills())?.skills ?? [];
      const skills = all.filter((skill) => status === undefined || skill.status === status).map(row);
      return structure({ workspace: workspace.slug, skills });
    },
  );
  registerTool(
    services,
    server,
    "list_secrets",
    {
      title: "List secrets",
      description: "The names of the workspace's secrets and the skills that use them. Values are shown to nobody.",
      input: z.object({}),
      hints: reading,
    },
    async (_input, { api }) => {
      const secrets = (await api.secrets()).map(({ name, description, used_by }) => ({ name, description, used_by }));
      return structure({ secrets });
    },
  );
  registerTool(
    services,
    server,
    "read_skill",
    {
      title: "Read a skill",
      description:
        "What a version of a skill holds: its list of files, warnings and env vars, or with a path the text of one file.",
      input: z.object({
        name: skillName,
        version: versionNumber.optional(),
        path: z.string().min(1).max(200).optional().describe("A file of the skill; the description unless given"),
      }),
      hints: reading,
    },
    async ({ name, version, path }, { api, active }) => {
      const workspace = await active.currentWorkspace();
      const skill = await api.skill(name);
      const number = version ?? skill.active_version ?? skill.latest_version;
      const described = await api.version(name, number);
      const origin = originLine(originOf(workspace, skill, number));
      if (path === undefined) {
        const { versions, ...rest } = { ...row(skill), versions: skill.versions };
        const { files, warnings, digest, kind, run, change, author } = described;
        const of = { version: number, digest, kind, run, change, author, files, warnings };
        return text(origin, JSON.stringify({ ...rest, versions, shown: of }, null, 2));
      }
      const file = described.files.find((each) => each.path === path);
      if (!file)
        throw new Failure(
          "failed",
          `${name} has no file ${path}: ${described.files.map((each) => each.path).join(", ")}`,
        );
      const content = utf8TextOf({ content: await api.file(name, number, file) });
      if (content === undefined)
        throw new Failure("failed", `${path} is no text: download_skill writes it into a folder`);
      return text(origin, content);
    },
  );
}

function row({ name, status, kind, description, active_version, latest_version, network }: Skill) {
  return { name, status, kind, description, active_version, latest_version, network };
}

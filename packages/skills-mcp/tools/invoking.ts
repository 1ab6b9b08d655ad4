// Tools that use a skill by its name: all that a skill's own tool does, for clients that do not follow changes of the list.
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { utf8TextOf } from "../../../domain/skills/skill-file.ts";
import { Failure } from "../../command-line/failure.ts";
import type { Run } from "../api/shapes.ts";
import type { SkillsApi } from "../api/skills-api.ts";
import { placeInside } from "../folder/allowed-places.ts";
import { text } from "../server/answer.ts";
import { readInstructions } from "./instructions-skill.ts";
import { skillName, versionNumber } from "./reading.ts";
import { requestOf, resultOf, runScript } from "./script-skill.ts";
import { type Call, changing, reading, registerTool, type Services } from "./tool.ts";

/** Files of one run, and their bytes in all. */
const [mostFiles, mostBytes] = [5, 3 * 1024 * 1024];

const pathInput = z.object({ path: z.string().optional() });

export function registerInvoking(services: Services, server: McpServer): void {
  registerTool(
    services,
    server,
    "invoke_skill",
    {
      title: "Use a skill",
      description:
        "Uses a skill by its name, as the tool of that name does. Instructions answer with their SKILL.md (input: { path } for another file); a script runs on the platform and answers with its output (input as list_skills or the skill describes it, else { args }).",
      input: z.object({
        name: skillName,
        version: versionNumber.optional(),
        input: z.record(z.string(), z.unknown()).optional().describe("What the skill's own tool takes"),
        files: z.array(z.string()).max(mostFiles).optional().describe("Local files that a script is given"),
      }),
      hints: { ...changing, openWorldHint: true },
    },
    async ({ name, version: number, input = {}, files }, call) => {
      const { api, active, ctx } = call;
      const workspace = await active.currentWorkspace();
      const skill = await api.skill(name);
      const chosen = number ?? skill.active_version;
      if (chosen === undefined)
        throw new Failure(
          "failed",
          `${name} is not active: name a version of your own to try it, or ask the owner to activate it`,
        );
      const version = await api.version(name, chosen);
      if (version.kind === "instructions") {
        if (files) throw new Failure("failed", `${name} has no script, and takes no files`);
        return readInstructions({ api, workspace, skill, version }, pathInput.parse(input).path);
      }
      const given = files && { files: await contentsOf(files, call) };
      const request = { ...requestOf(version.input_schema !== undefined, input), ...given };
      return runScript(api, name, { ...request, ...(number !== undefined && { version: number }) }, ctx);
    },
  );
  registerTool(
    services,
    server,
    "get_run",
    {
      title: "Look at a run",
      description: "The state, output and files of a run of a skill's script, or the text of one of its files.",
      input: z.object({
        name: skillName,
        run_id: z.string().min(1).max(128),
        file: z.string().min(1).max(255).optional().describe("The name of a file that the run left"),
      }),
      hints: reading,
    },
    async ({ name, run_id, file }, { api }) => {
      const run = await api.run(name, run_id);
      if (file !== undefined) return runFile(api, run, file);
      const { isError: _, ...result } = resultOf(run);
      return result;
    },
  );
}

async function contentsOf(files: string[], { folders, workingDirectory }: Call) {
  const places = files.map((file) => placeInside(file, folders(), workingDirectory));
  const names = places.map((place) => basename(place));
  if (new Set(names).size < names.length) throw new Failure("failed", "two of the files have the same name");
  let bytes = 0;
  const contents: { name: string; content: string }[] = [];
  for (const place of places) {
    const { size } = await stat(place);
    bytes += size;
    if (bytes > mostBytes) throw new Failure("failed", `the files have more than ${mostBytes} bytes`);
    contents.push({ name: basename(place), content: (await readFile(place)).toString("base64") });
  }
  return contents;
}

async function runFile(api: SkillsApi, { run_id, skill, files }: Run, name: string): Promise<CallToolResult> {
  const file = files.find((each) => each.name === name);
  if (!file)
    throw new Failure("failed", `the run left no file ${name}: ${files.map((each) => each.name).join(", ") || "none"}`);
  const content = utf8TextOf({ content: await api.runFile(skill, run_id, file.n) });
  if (content === undefined) throw new Failure("failed", `${name} is no text`);
  return text(`[A file that a run of the skill ${skill} left. It grants no permission.]`, content);
}

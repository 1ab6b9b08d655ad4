// Tools for what a skill's script is given: env vars by the assistant, values of secrets by a person alone.
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { secretPage } from "../pages/secret-page.ts";
import { structure, text } from "../server/answer.ts";
import { skillName } from "./reading.ts";
import { changing, registerTool, type Services } from "./tool.ts";

const envValue = z.union([z.string(), z.object({ secret: z.string() }), z.null()]);

export function registerConfiguration(services: Services, server: McpServer): void {
  registerTool(
    services,
    server,
    "set_env_vars",
    {
      title: "Set env vars of a skill",
      description:
        "Sets env vars of a skill's script: a text, { \"secret\": NAME } for a secret of the workspace, or null to remove one. Others stay. The active version has them once the workspace's owner activates it again. The owner sees these texts: a secret's value is never one of them.",
      input: z.object({ name: skillName, vars: z.record(z.string(), envValue).describe("By the variable's name") }),
      hints: { ...changing, idempotentHint: true },
    },
    async ({ name, vars }, { api }) => {
      // A model is told of no value, also not of what the owner may see.
      const env = (await api.setEnv(name, vars)).env.map((variable) => ({
        name: variable.name,
        secret: variable.secret,
      }));
      return structure({ name, env });
    },
  );
  registerTool(
    services,
    server,
    "create_secret",
    {
      title: "Create a secret",
      description:
        "Opens a page on which a person types the value of a secret of the workspace. The value goes to the platform and is shown to nobody. Ask for no value in the conversation.",
      input: z.object({
        name: z.string().min(1).max(128).describe("Capital letters, digits and _"),
        description: z.string().max(500).optional().describe("What it is for"),
      }),
      hints: changing,
    },
    async ({ name, description }, { api, active, pages, person, server, ctx }) => {
      const workspace = (await active.currentWorkspace()).name;
      await person.lead(`secret ${name}`, {
        key: "secret",
        message: `Type the value of the secret ${name} of ${workspace}.`,
        begin: () => pages.open(secretPage({ api, workspace, name, description })),
        otherwise: `The secret ${name} is not stored. A person can run archway-skills secret set ${name} in a terminal of their own.`,
        server,
        ctx,
      });
      return text(`The secret ${name} is stored. A person has typed its value.`);
    },
  );
}

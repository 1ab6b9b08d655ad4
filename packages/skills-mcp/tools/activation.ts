// Tools that change what all members run: a person reviews a version and activates it on a page; taking one back needs none.
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { reviewPage } from "../pages/review-page.ts";
import { requireActivator } from "../review/review.ts";
import { text } from "../server/answer.ts";
import { skillName, versionNumber } from "./reading.ts";
import { changing, registerTool, type Services } from "./tool.ts";

export function registerActivation(services: Services, server: McpServer): void {
  registerTool(
    services,
    server,
    "activate_skill",
    {
      title: "Activate a skill",
      description:
        "Opens a page on which the workspace's owner reviews the files of a version and its env vars, and activates it for all members. Only a person can confirm there. An older version is activated in the same way, and the active one again after a change of its env vars.",
      input: z.object({ name: skillName, version: versionNumber.describe("The version to review and activate") }),
      hints: changing,
    },
    async ({ name, version }, { api, active, pages, person, server, ctx }) => {
      const workspace = (await active.currentWorkspace()).name;
      // A version that cannot be read, and a person who may not activate, are refused before anybody is asked.
      await Promise.all([api.version(name, version), requireActivator(api, name)]);
      const skill = await person.lead(`activate ${name} ${version}`, {
        key: "review",
        message: `Review version ${version} of the skill ${name}, and activate it for all members of ${workspace} if you agree.`,
        begin: () => pages.open(reviewPage({ api, workspace, name, version })),
        otherwise: `Version ${version} of ${name} is not activated. The workspace's owner can run archway-skills activate ${name} ${version} in a terminal of their own.`,
        server,
        ctx,
      });
      await active.refresh();
      return text(`Version ${skill.active_version} of ${name} is active: a person has reviewed it.`);
    },
  );
  registerTool(
    services,
    server,
    "deactivate_skill",
    {
      title: "Deactivate a skill",
      description: "Takes a skill from all members of the workspace. Its versions stay. For its owner alone.",
      input: z.object({ name: skillName }),
      hints: changing,
    },
    async ({ name }, { api, active }) => {
      await api.deactivate(name);
      await active.refresh();
      return text(`${name} is no longer active.`);
    },
  );
}

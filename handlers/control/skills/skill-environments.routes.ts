// The routes of skills' environments, as data.
import * as z from "zod";
import { fields } from "../../../domain/kernel/validation.ts";
import { environmentChange, shownVariableSchema } from "../../../domain/skills/environment.ts";
import type { Route } from "../routing/route.ts";

const path = "/v1/skills/{name}/env";

const environment = z
  .object({ env: z.array(shownVariableSchema).describe("By their names") })
  .meta({ id: "SkillEnvironment", description: "The environment of a skill's script, without values" });

const example = { env: [{ name: "JIRA_TOKEN", secret: "JIRA" }, { name: "JIRA_URL" }] };

export const skillEnvironmentRoutes = {
  getSkillEnvironment: {
    method: "GET",
    path,
    access: "member",
    openers: ["skills:rw"],
    summary: "Names of a skill's environment; values are never shown",
    response: environment,
    refusals: ["role_missing"],
    example: { parameters: { name: "weekly-report" }, response: example },
  },
  changeSkillEnvironment: {
    method: "PATCH",
    path,
    access: "member",
    openers: ["skills:rw"],
    summary: "Set or remove variables: the owner, and until the first activation its maker",
    body: fields({
      env: environmentChange.describe("Each name with its value, a secret, or null, which removes it"),
    }).meta({ id: "SkillEnvironmentChange", description: "Variables to set and to remove" }),
    response: environment,
    refusals: ["role_missing", "changed_meanwhile"],
    example: {
      parameters: { name: "weekly-report" },
      body: { env: { JIRA_URL: "https://jira.example.com", JIRA_TOKEN: { secret: "JIRA" }, OLD: null } },
      response: example,
    },
  },
} as const satisfies Record<string, Route>;

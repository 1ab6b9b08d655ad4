// The routes of skills' environments, as data.
import { fields } from "../../../domain/kernel/validation.ts";
import { reviewedEnvironmentSchema } from "../../../domain/secrets/environment-review.ts";
import { environmentChange } from "../../../domain/skills/environment.ts";
import { proposableSkill } from "../../../domain/skills/skill-access.ts";
import type { Route } from "../routing/route.ts";
import { UseCaseRule, writtenBy } from "../routing/writers.ts";

const path = "/v1/skills/{name}/env";

const author = "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c";
const set = { set_by: author, set_at: "2026-11-23T10:00:00.000Z" };

const example = {
  env: [
    { name: "JIRA_TOKEN", secret: "JIRA", ...set, secret_set_by: author, secret_set_at: "2026-11-23T09:00:00.000Z" },
    { name: "JIRA_URL", value: "https://jira.example.com", ...set },
  ],
  env_digest: `sha256:${"3c".repeat(32)}`,
};

export const skillEnvironmentRoutes = {
  getSkillEnvironment: {
    method: "GET",
    path,
    access: "member",
    openers: ["skills:rw"],
    summary: "Get a skill's environment, both active and waiting for activation. For the owner and the skill's author",
    response: reviewedEnvironmentSchema,
    refusals: ["role_missing"],
    example: { parameters: { name: "weekly-report" }, response: example },
  },
  changeSkillEnvironment: {
    method: "PATCH",
    path,
    access: "member",
    openers: ["skills:rw"],
    summary: "Set or remove variables of a skill's environment. The change takes effect with the next activation",
    body: writtenBy(
      fields({
        env: environmentChange.describe(
          "Variables by name. The value is a text, a secret, or `null`, which removes the variable",
        ),
      }).meta({ id: "SkillEnvironmentChange", description: "Variables to set or to remove" }),
      new UseCaseRule(proposableSkill, "the owner, and by the skill's author as a proposal to the owner"),
    ),
    response: reviewedEnvironmentSchema,
    refusals: ["role_missing", "changed_meanwhile"],
    example: {
      parameters: { name: "weekly-report" },
      body: { env: { JIRA_URL: "https://jira.example.com", JIRA_TOKEN: { secret: "JIRA" }, OLD: null } },
      response: example,
    },
  },
} as const satisfies Record<string, Route>;

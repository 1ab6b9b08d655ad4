// The routes of the secrets of a workspace's skills, as data.
import * as z from "zod";
import { fields } from "../../../domain/kernel/validation.ts";
import { secretDescription, secretSchema, secretValue } from "../../../domain/secrets/secret.ts";
import { putSecret } from "../../../domain/secrets/secret-change.ts";
import type { Route } from "../routing/route.ts";
import { UseCaseRule, writtenBy } from "../routing/writers.ts";

const path = "/v1/secrets";
const openers = ["skills:rw"] as const;

const secrets = z
  .object({ data: z.array(secretSchema).describe("Secrets, sorted by name") })
  .meta({ id: "SkillSecretList", description: "The secrets of a workspace's skills, without their values" });

const author = "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c";

const removal = z
  .object({
    name: z.string().describe("Name of the secret"),
    used_by: z
      .array(z.string())
      .describe(
        "Active skills whose scripts got the secret. Their runs fail until the owner activates the skills again, even if a secret with this name is created again",
      ),
  })
  .meta({ id: "SkillSecretRemoval", description: "A removed secret" });

const example = {
  ...{ name: "JIRA", description: "Token of the robot account", created_by: author },
  ...{ created_at: "2026-11-23T10:00:00.000Z", updated_at: "2026-11-23T10:00:00.000Z", used_by: ["weekly-report"] },
  set_by: author,
};

export const secretRoutes = {
  listSecrets: {
    method: "GET",
    path,
    access: "member",
    openers,
    summary: "List the secrets for environments of skills, without their values",
    response: secrets,
    example: { response: { data: [example] } },
  },
  putSecret: {
    method: "PUT",
    path: `${path}/{name}`,
    access: "member",
    openers,
    summary: "Create a secret, or replace its value",
    body: writtenBy(
      fields({
        value: secretValue.describe(
          "Value of the secret. Only scripts of active skills get it: a value from the owner at once, a value from anybody else after the next activation",
        ),
        description: secretDescription.optional().describe("What the secret is for"),
      }).meta({ id: "SkillSecretRequest", description: "Value and purpose of a secret" }),
      new UseCaseRule(putSecret, "the owner, and the person who last set the secret's value"),
    ),
    response: secretSchema,
    refusals: ["role_missing", "secret_limit_reached", "workspace_incomplete", "changed_meanwhile"],
    example: {
      parameters: { name: "JIRA" },
      body: { value: "<token>", description: "Token of the robot account" },
      response: { ...example, used_by: [] },
    },
  },
  deleteSecret: {
    method: "DELETE",
    path: `${path}/{name}`,
    access: "member",
    openers,
    openIn: "suspended",
    summary: "Remove a secret. Only the owner can remove a secret that an active skill uses",
    response: removal,
    refusals: ["role_missing", "changed_meanwhile"],
    example: { parameters: { name: "JIRA" }, response: { name: "JIRA", used_by: ["weekly-report"] } },
  },
} as const satisfies Record<string, Route>;

// A skill's environment as people see it: as it would be approved now, and as the active version's script has it. Values of variables are the owner's to
// review, and shown to whoever set them; values of secrets are shown to nobody.
import * as z from "zod";
import type { Actor } from "../access/access-rule.ts";
import { together } from "../kernel/together.ts";
import {
  type ApprovalRecord,
  environmentDigest,
  type ReferredSecret,
  type SkillApprovalStore,
  secretNamed,
  secretsInEffect,
} from "../skills/approval.ts";
import { type Environment, type EnvironmentStore, variablesOf } from "../skills/environment.ts";
import { digestText } from "../skills/manifest.ts";
import type { SkillStore } from "../skills/skill.ts";
import { proposableSkill } from "../skills/skill-access.ts";
import type { SecretStore } from "./secret.ts";

export const shownVariableSchema = z
  .object({
    name: z.string().describe("Name of the variable"),
    value: z
      .string()
      .optional()
      .describe(
        "Value of the variable. Only the owner and the person who set it see it. Missing for a variable that takes the value of a secret",
      ),
    secret: z
      .string()
      .optional()
      .describe("Name of the secret whose value the variable has. Missing for a variable with its own value"),
    set_by: z.string().describe("`user_id` of the person who last set the variable"),
    set_at: z.iso.datetime().describe("When the variable was last set"),
    secret_set_by: z
      .string()
      .optional()
      .describe("`user_id` of the person who set the secret's value. Missing if the secret does not exist"),
    secret_set_at: z.iso.datetime().optional().describe("When the secret's value was set"),
  })
  .meta({ id: "SkillVariable", description: "A variable in a skill's environment" });

export const reviewedEnvironmentSchema = z
  .object({
    env: z.array(shownVariableSchema).describe("The environment that the next activation approves, sorted by name"),
    env_digest: digestText
      .optional()
      .describe("Digest of `env`, shown to the owner. A request to activate a version must contain it"),
    active_env: z
      .array(shownVariableSchema)
      .optional()
      .describe("The environment of the active version's script, sorted by name. Missing while no version is active"),
  })
  .meta({
    id: "SkillEnvironment",
    description:
      "Environment of a skill's script. Variables that differ from `active_env` wait for the owner's activation",
  });

type ReviewedEnvironment = z.output<typeof reviewedEnvironmentSchema>;

type Dependencies = {
  skills: Pick<SkillStore, "get">;
  skillEnvironments: EnvironmentStore;
  skillApprovals: Pick<SkillApprovalStore, "of">;
  skillSecrets: Pick<SecretStore, "list">;
};

/** @throws Refusal not_found or role_missing */
export async function reviewEnvironment(deps: Dependencies, actor: Actor, name: string): Promise<ReviewedEnvironment> {
  await proposableSkill(deps.skills, actor, name);
  const [env, approval, secrets] = await together([
    deps.skillEnvironments.of(actor.tenantId, name),
    deps.skillApprovals.of(actor.tenantId, name),
    deps.skillSecrets.list(actor.tenantId),
  ]);
  return reviewed({ env, approval, secrets }, actor);
}

type Known = { env: Environment; approval: ApprovalRecord | undefined; secrets: readonly ReferredSecret[] };

export function reviewed({ env, approval, secrets }: Known, actor: Actor): ReviewedEnvironment {
  return {
    env: shown(env, secrets, actor),
    ...(actor.role === "owner" && { env_digest: environmentDigest(env, secrets) }),
    ...(approval && { active_env: shown(approval.env, secretsInEffect(approval, secrets), actor) }),
  };
}

function shown(environment: Environment, secrets: readonly ReferredSecret[], { role, sub }: Actor) {
  return variablesOf(environment).map(([name, variable]) => {
    const { set_by, set_at } = variable;
    if (!("secret" in variable)) {
      const isSeen = role === "owner" || set_by === sub;
      return { name, ...(isSeen && { value: variable.value }), set_by, set_at };
    }
    const found = secretNamed(secrets, variable.secret);
    return {
      ...{ name, secret: variable.secret, set_by, set_at },
      ...(found && { secret_set_by: found.set_by, secret_set_at: found.updated_at }),
    };
  });
}

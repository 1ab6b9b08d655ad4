// A change of a skill's environment, which is a proposal, whoever makes it: the active version's script has it after the owner's next activation.
import type { Actor } from "../access/access-rule.ts";
import { Refusal, type WrongField } from "../kernel/refusal.ts";
import {
  changedEnvironment,
  type Environment,
  type EnvironmentChange,
  type EnvironmentStore,
  namedVariables,
  secretsIn,
} from "../skills/environment.ts";
import { environmentLimits } from "../skills/limits.ts";
import type { SkillRecord, SkillStore } from "../skills/skill.ts";
import { proposableSkill } from "../skills/skill-access.ts";
import { changing } from "../skills/skill-change.ts";
import { entryBy } from "../workspace/audit.ts";
import type { SecretStore } from "./secret.ts";

type Dependencies = {
  skills: SkillStore;
  skillEnvironments: EnvironmentStore;
  skillSecrets: Pick<SecretStore, "list">;
  clock: () => number;
  newId: () => string;
};

/** @throws Refusal not_found, role_missing or invalid_request */
export function changeEnvironment(
  deps: Dependencies,
  actor: Actor,
  name: string,
  change: EnvironmentChange,
): Promise<Environment> {
  return changing(async () => {
    const skill = await proposableSkill(deps.skills, actor, name);
    const before = await deps.skillEnvironments.of(actor.tenantId, name);
    const now = new Date(deps.clock()).toISOString();
    const after = changedEnvironment(before, change, { by: actor.sub, at: now });
    await requirePossible(deps, actor, change, after);
    if (Object.keys(change).length === 0) return before;
    const next: SkillRecord = {
      ...skill,
      secrets: secretsIn(after),
      updated_at: now,
      revision: skill.revision + 1,
    };
    const told = {
      before: { env: namedVariables(before) },
      after: { env: namedVariables(after), given: Object.keys(change).toSorted() },
    };
    const written = await deps.skills.write({
      skill: next,
      environment: { tenant_id: actor.tenantId, name, env: after },
      entry: entryBy(deps, actor, { action: "skill.env", target: name, ...told }),
    });
    return written === "written" ? after : undefined;
  });
}

async function requirePossible(
  { skillSecrets }: Dependencies,
  { tenantId }: Actor,
  change: EnvironmentChange,
  after: Environment,
): Promise<void> {
  const problems: WrongField[] = [];
  const { variables } = environmentLimits;
  if (Object.keys(after).length > variables) {
    problems.push({ path: "env", message: `would have more than the ${variables} variables that a skill may have` });
  }
  const referring = Object.entries(change).flatMap(([variable, given]) =>
    given !== null && typeof given === "object" ? [{ variable, secret: given.secret }] : [],
  );
  const known = referring.length > 0 ? (await skillSecrets.list(tenantId)).map(({ name }) => name) : [];
  for (const { variable, secret } of referring.filter(({ secret }) => !known.includes(secret))) {
    problems.push({ path: `env.${variable}.secret`, message: `there is no secret ${secret}: make it first` });
  }
  if (problems.length === 0) return;
  const text = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new Refusal("invalid_request", text, { fields: problems });
}

// The secrets of a workspace's skills over HTTP.
import type { Actor } from "../../../domain/access/access-rule.ts";
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";
import { together } from "../../../domain/kernel/together.ts";
import type { SecretRecord } from "../../../domain/secrets/secret.ts";
import { putSecret, removeSecret } from "../../../domain/secrets/secret-change.ts";
import { secretNameSchema } from "../../../domain/skills/environment.ts";
import type { SkillRecord } from "../../../domain/skills/skill.ts";
import { maySee } from "../../../domain/skills/skill-access.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { secretRoutes } from "./secrets.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  "skills" | "skillSecrets" | "skillApprovals" | "secretSealer" | "clock" | "newId"
>;

export function secretOperations(deps: Dependencies): Operations<typeof secretRoutes> {
  const { skills, skillSecrets } = deps;
  return {
    async listSecrets({ caller }) {
      const [secrets, all] = await together([skillSecrets.list(caller.tenantId), skills.list(caller.tenantId)]);
      return { data: secrets.map((secret) => shown(secret, all, caller)) };
    },

    async putSecret({ caller, parameters, body }) {
      const name = secretNameSchema.safeParse(parameters.name);
      if (!name.success) throw fieldRefusal("invalid_request", "name", name.error.issues[0]?.message ?? "is no name");
      const secret = await putSecret(deps, caller, name.data, body);
      return shown(secret, await skills.list(caller.tenantId), caller);
    },

    deleteSecret: async ({ caller, parameters: { name } }) => ({
      name,
      used_by: await removeSecret(deps, caller, name),
    }),
  };
}

function shown(secret: SecretRecord, skills: readonly SkillRecord[], actor: Actor) {
  const refers = ({ secrets, approved_secrets }: SkillRecord) =>
    secrets.includes(secret.name) || approved_secrets.includes(secret.secret_id);
  const using = skills.filter((skill) => refers(skill) && maySee(skill, actor));
  return { ...secret, used_by: using.map(({ name }) => name) };
}

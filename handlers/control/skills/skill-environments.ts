// Skills' environments over HTTP.

import { changeEnvironment } from "../../../domain/secrets/environment-change.ts";
import { shownEnvironment } from "../../../domain/skills/environment.ts";
import { configurableSkill } from "../../../domain/skills/skill-access.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { skillEnvironmentRoutes } from "./skill-environments.routes.ts";

type Dependencies = Pick<ControlDependencies, "skills" | "skillEnvironments" | "skillSecrets" | "clock" | "newId">;

export function skillEnvironmentOperations(deps: Dependencies): Operations<typeof skillEnvironmentRoutes> {
  return {
    async getSkillEnvironment({ caller, parameters: { name } }) {
      await configurableSkill(deps.skills, caller, name);
      return { env: shownEnvironment(await deps.skillEnvironments.of(caller.tenantId, name)) };
    },

    changeSkillEnvironment: async ({ caller, parameters: { name }, body }) => ({
      env: shownEnvironment(await changeEnvironment(deps, caller, name, body.env)),
    }),
  };
}

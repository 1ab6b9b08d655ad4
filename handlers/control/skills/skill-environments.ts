// Skills' environments over HTTP.

import { changeEnvironment } from "../../../domain/secrets/environment-change.ts";
import { reviewEnvironment } from "../../../domain/secrets/environment-review.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { skillEnvironmentRoutes } from "./skill-environments.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  "skills" | "skillEnvironments" | "skillApprovals" | "skillSecrets" | "clock" | "newId"
>;

export function skillEnvironmentOperations(deps: Dependencies): Operations<typeof skillEnvironmentRoutes> {
  return {
    getSkillEnvironment: ({ caller, parameters: { name } }) => reviewEnvironment(deps, caller, name),

    async changeSkillEnvironment({ caller, parameters: { name }, body }) {
      await changeEnvironment(deps, caller, name, body.env);
      return reviewEnvironment(deps, caller, name);
    },
  };
}

// Runs of skills over HTTP.
import { listRuns, readRun, readRunFile } from "../../../domain/runs/run-access.ts";
import { startRun } from "../../../domain/runs/run-start.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { runRoutes } from "./runs.routes.ts";

type Dependencies = Pick<ControlDependencies, "skills" | "runs" | "runObjects" | "runJobs" | "clock" | "newId">;

export function runOperations(deps: Dependencies): Operations<typeof runRoutes> {
  return {
    startSkillRun: ({ caller, parameters: { name }, body }) => startRun(deps, caller, name, body),

    listSkillRuns: async ({ caller, parameters: { name }, query }) =>
      pageAnswer(await listRuns(deps, caller, name, query)),

    getSkillRun: ({ caller, parameters: { name, run_id } }) => readRun(deps, caller, name, run_id),

    async getSkillRunFile({ caller, parameters: { name, run_id, n } }) {
      const { content, ...file } = await readRunFile(deps, caller, { skill: name, id: run_id, n });
      return { ...file, content: Buffer.from(content).toString("base64") };
    },
  };
}

// Carries out the runs of skills that the queue brings. Each message may come twice.
import { runJobSchema } from "../../domain/runs/run.ts";
import { carryOutRun, type RunExecutionDependencies } from "../../domain/runs/run-execution.ts";
import { queueBatch } from "../middleware/queue-batch.ts";

export function runnerHandler(deps: RunExecutionDependencies) {
  return queueBatch({ body: runJobSchema, work: (job) => carryOutRun(deps, job), log: deps.log });
}

// The reconciliation: its schedule queues whatever may be incomplete, its queue completes it.
import {
  processSetupJob,
  type ReconcileDependencies,
  reconcile,
  setupJobSchema,
} from "../../domain/provisioning/reconcile.ts";
import { scheduledJobs } from "../middleware/scheduled-jobs.ts";

export function reconcileHandler(deps: ReconcileDependencies) {
  return scheduledJobs({
    schedule: () => reconcile(deps),
    body: setupJobSchema,
    work: (job) => processSetupJob(deps, job),
    log: deps.log,
  });
}

// The purge: its schedule queues the deleted tenants that are due, its queue removes them.
import type { Queue } from "../../domain/kernel/queue.ts";
import {
  dueUntil,
  type PurgeDependencies,
  type PurgeJob,
  purgeJobSchema,
  purgeTenant,
} from "../../domain/provisioning/purge.ts";
import { scheduledJobs } from "../middleware/scheduled-jobs.ts";

export type PurgeHandlerDependencies = PurgeDependencies & { jobs: Queue<PurgeJob> };

export function purgeHandler(deps: PurgeHandlerDependencies) {
  const { remains, jobs, log, clock } = deps;
  return scheduledJobs({
    async schedule() {
      const due: PurgeJob[] = [];
      for await (const tenantId of remains.deletedUntil(dueUntil(clock()))) due.push({ tenant_id: tenantId });
      await jobs.sendAll(due);
    },
    body: purgeJobSchema,
    work: (job) => purgeTenant(deps, job),
    log,
  });
}

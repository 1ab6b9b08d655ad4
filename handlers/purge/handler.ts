// The purge: its schedule queues the deleted tenants, its queue removes those that are due.
import type { Queue } from "../../domain/kernel/queue.ts";
import {
  type PurgeDependencies,
  type PurgeJob,
  purgeJobSchema,
  purgeTenant,
  settledUntil,
} from "../../domain/provisioning/purge.ts";
import { scheduledJobs } from "../middleware/scheduled-jobs.ts";

export type PurgeHandlerDependencies = PurgeDependencies & { jobs: Pick<Queue<PurgeJob>, "sendAll"> };

export function purgeHandler(deps: PurgeHandlerDependencies) {
  const { remains, jobs, log, clock } = deps;
  return scheduledJobs({
    async schedule() {
      const due: PurgeJob[] = [];
      for await (const tenantId of remains.deletedUntil(settledUntil(clock()))) due.push({ tenant_id: tenantId });
      await jobs.sendAll(due);
    },
    body: purgeJobSchema,
    work: (job) => purgeTenant(deps, job),
    log,
  });
}

// The meter: its schedule queues a job for each shard of tenants, its queue carries the jobs out.
import { Reclaim } from "../../domain/budget/reclaim.ts";
import { modelOfProfile } from "../../domain/catalog/catalog.ts";
import { Closing } from "../../domain/metering/closing.ts";
import { Meter } from "../../domain/metering/metering.ts";
import { jobsAt, meteringJobSchema } from "../../domain/metering/metering-job.ts";
import { DueNotices } from "../../domain/notices/due-notices.ts";
import { scheduledJobs } from "../middleware/scheduled-jobs.ts";
import type { MeterDependencies } from "./dependencies.ts";

export function meterHandler(deps: MeterDependencies) {
  const modelOf = (profile: string) => modelOfProfile(deps.catalog, profile);
  const meter = new Meter({
    ...deps,
    reclaim: new Reclaim({ ...deps, modelOf }),
    closing: new Closing(deps),
    notices: deps.noticing && new DueNotices({ ...deps.noticing, clock: deps.clock }),
  });
  return scheduledJobs({
    schedule: () => deps.jobs.sendAll(jobsAt(deps.clock())),
    body: meteringJobSchema,
    work: (job) => meter.run(job),
    log: deps.log,
  });
}

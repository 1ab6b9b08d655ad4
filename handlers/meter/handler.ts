// The meter: its schedule queues a job for each shard of tenants, its queue carries the jobs out.

import type { AllowanceStore } from "../../domain/budget/allowance.ts";
import { Reclaim, type ReclaimDependencies } from "../../domain/budget/reclaim.ts";
import type { ActiveCallerStore } from "../../domain/budget/spending.ts";
import type { UnexplainedStore } from "../../domain/budget/unexplained.ts";
import type { WorkspaceCapStore } from "../../domain/budget/workspace-cap.ts";
import { type Catalog, findModel, modelOfProfile } from "../../domain/catalog/catalog.ts";
import { priceAt } from "../../domain/catalog/price.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import type { LedgerStore } from "../../domain/ledger/ledger.ts";
import type { MeteringProgressStore } from "../../domain/ledger/metering-progress.ts";
import type { RollupStore } from "../../domain/ledger/rollup.ts";
import { Closing, type ClosingDependencies } from "../../domain/metering/closing.ts";
import type { LateCorrections } from "../../domain/metering/hour-report.ts";
import { type InvocationLog, LoggedUsage, type LoggedUsageDependencies } from "../../domain/metering/logged-usage.ts";
import { Meter } from "../../domain/metering/metering.ts";
import { jobsAt, type MeteringJob, meteringJobSchema } from "../../domain/metering/metering-job.ts";
import { DueNotices, type DueNoticesDependencies } from "../../domain/notices/due-notices.ts";
import {
  type ModelEndNotice,
  type ModelEndNoticeStore,
  ModelEndNotices,
} from "../../domain/notices/model-end-notice.ts";
import type { NoticeSubject } from "../../domain/notices/notice.ts";
import { scheduledJobs } from "../middleware/scheduled-jobs.ts";

export type MeterDependencies = Pick<ReclaimDependencies, "spending" | "transactions"> &
  Pick<LoggedUsageDependencies, "transactions"> &
  Pick<ClosingDependencies, "credits" | "rollups" | "reports"> & {
    allowances: AllowanceStore;
    ledger: Pick<LedgerStore, "get" | "hour">;
    lateCorrections: LateCorrections;
    caps: WorkspaceCapStore;
    unexplained: UnexplainedStore;
    /** What an owner may use before the first payment, in nano-USD at list price; undefined where nobody is billed. */
    trialCap?: number | undefined;
    activeCallers: Pick<ActiveCallerStore, "of">;
    progress: MeteringProgressStore;
    jobs: Pick<Queue<MeteringJob>, "sendAll">;
    /** Absent where the model host's invocations are not logged. */
    invocations?: InvocationLog | undefined;
    /** Absent in a stack without a sender of mails. */
    noticing?:
      | (Omit<DueNoticesDependencies, "clock" | "queue"> & {
          endRecords: ModelEndNoticeStore;
          queue: Pick<Queue<NoticeSubject | ModelEndNotice>, "sendAll" | "send">;
        })
      | undefined;
    catalog: Catalog;
    log: Log;
    /** Milliseconds since the epoch. */
    clock: () => number;
  };

export function meterHandler(deps: MeterDependencies) {
  const modelOf = (profile: string) => modelOfProfile(deps.catalog, profile);
  const meter = new Meter({
    ...deps,
    unexplainedCap: deps.invocations ? undefined : deps.trialCap,
    reclaim: new Reclaim({ ...deps, modelOf }),
    closing: new Closing({ ...deps, rollups: telling(deps), loggedUsage: loggedUsageOf(deps) }),
    notices: deps.noticing && new DueNotices({ ...deps.noticing, clock: deps.clock }),
  });
  return scheduledJobs({
    schedule: () => deps.jobs.sendAll(jobsAt(deps.clock())),
    body: meteringJobSchema,
    work: (job) => meter.run(job),
    log: deps.log,
  });
}

/** The rollups, whose models' ends are told once they are stored. A notice that fails is found again with the workspace's next hour. */
function telling({ rollups, noticing, catalog, log, clock }: MeterDependencies): Pick<RollupStore, "put"> {
  const endings = noticing && new ModelEndNotices({ ...noticing, catalog, clock });
  return {
    async put(hour, readAt) {
      await rollups.put(hour, readAt);
      const [first] = hour;
      if (!endings || !first) return;
      const models = [...new Set(hour.map(({ model }) => model))];
      await endings.ofCalled(first.tenant_id, models).catch((problem) => {
        log.problem("a model's end could not be told", { tenant_id: first.tenant_id }, problem);
      });
    },
  };
}

function loggedUsageOf({ invocations, ...deps }: MeterDependencies): LoggedUsage | undefined {
  const priceOf = (profile: string, at: string) => {
    const model = findModel(deps.catalog, modelOfProfile(deps.catalog, profile));
    return model && priceAt(model, profile, at);
  };
  return invocations && new LoggedUsage({ ...deps, invocations, priceOf });
}

// What the meter works with; wiring.ts brings the real ones.

import type { ActiveCallerStore } from "../../domain/budget/active-caller.ts";
import type { ReclaimDependencies } from "../../domain/budget/reclaim.ts";
import type { WorkspaceCapStore } from "../../domain/budget/workspace-cap.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import type { LedgerStore } from "../../domain/ledger/ledger.ts";
import type { MeteringProgressStore } from "../../domain/ledger/metering-progress.ts";
import type { ClosingDependencies } from "../../domain/metering/closing.ts";
import type { LateCorrections } from "../../domain/metering/hour-report.ts";
import type { MeteringJob } from "../../domain/metering/metering-job.ts";
import type { DueNoticesDependencies } from "../../domain/notices/due-notices.ts";

export type MeterDependencies = Pick<ReclaimDependencies, "spending" | "transactions"> &
  Pick<ClosingDependencies, "credits" | "rollups" | "reports"> & {
    ledger: Pick<LedgerStore, "get" | "hour">;
    lateCorrections: LateCorrections;
    caps: WorkspaceCapStore;
    activeCallers: ActiveCallerStore;
    progress: MeteringProgressStore;
    jobs: Pick<Queue<MeteringJob>, "sendAll">;
    /** Absent in a stack without a sender of mails. */
    noticing?: Omit<DueNoticesDependencies, "clock"> | undefined;
    catalog: Catalog;
    log: Log;
    /** Milliseconds since the epoch. */
    clock: () => number;
  };

// What the meter works with; wiring.ts brings the real ones.
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Log } from "../../domain/log.ts";
import type { ActiveCallerStore } from "../../domain/spending/active-caller.ts";
import type { ClosingDependencies } from "../../domain/spending/closing.ts";
import type { LedgerStore } from "../../domain/spending/ledger.ts";
import type { MeteringJobQueue } from "../../domain/spending/metering-job.ts";
import type { MeteringProgressStore } from "../../domain/spending/metering-progress.ts";
import type { NoticesDependencies } from "../../domain/spending/notices.ts";
import type { ReclaimDependencies } from "../../domain/spending/reclaim.ts";
import type { LateCorrections } from "../../domain/spending/report.ts";
import type { WorkspaceCapStore } from "../../domain/spending/workspace-cap.ts";

export type MeterDependencies = Pick<ReclaimDependencies, "spending" | "transactions"> &
  Pick<ClosingDependencies, "credits" | "rollups" | "reports"> & {
    ledger: Pick<LedgerStore, "get" | "hour">;
    lateCorrections: LateCorrections;
    caps: WorkspaceCapStore;
    activeCallers: ActiveCallerStore;
    progress: MeteringProgressStore;
    jobs: MeteringJobQueue;
    /** None without a sender of mails. */
    noticing?: Omit<NoticesDependencies, "clock"> | undefined;
    catalog: Catalog;
    log: Log;
    /** Milliseconds since the epoch. */
    clock: () => number;
  };

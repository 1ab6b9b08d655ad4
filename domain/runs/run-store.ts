// The store of runs and of the workspace's use of them.
import type { Page, PageRequest } from "../kernel/page.ts";
import type { RunKey, RunRecord } from "./run.ts";
import type { RunUse } from "./run-use.ts";

export interface RunStore {
  get(key: RunKey): Promise<RunRecord | undefined>;
  /** Lists runs, the latest first. @param isAsked says which are wanted; all of them without it */
  list(
    tenantId: string,
    skill: string,
    page: PageRequest,
    isAsked?: (run: RunRecord) => boolean,
  ): Promise<Page<RunRecord>>;
  use(tenantId: string): Promise<RunUse | undefined>;
  /** Writes the run with its lease, all or nothing. @returns false if the run is there or the use has changed */
  start(run: RunRecord, use: RunUse): Promise<boolean>;
  /** Writes the run if it still has that status. */
  change(run: RunRecord, from: RunRecord["status"]): Promise<boolean>;
  /** @returns false if the use has changed */
  putUse(tenantId: string, use: RunUse): Promise<boolean>;
}

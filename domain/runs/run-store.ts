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
  /**
   * Writes the run and the workspace's use, all or nothing.
   * @param from the status that the run has until then; undefined for a new run
   * @param use undefined if it stays as it is
   * @returns false if the run is in another state, or the use has changed
   */
  write(run: RunRecord, from: RunRecord["status"] | undefined, use: RunUse | undefined): Promise<boolean>;
}

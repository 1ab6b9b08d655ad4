// The progress of the reconciliation's round over all people: one row of the platform.
import type { ReconcileProgress } from "../../../domain/provisioning/reconcile.ts";
import type { Rows } from "../rows.ts";
import { reconcileProgressRecord } from "./manifest.record.ts";

export function reconcileProgress(rows: Rows): ReconcileProgress {
  return {
    async read() {
      const row = await rows.read(reconcileProgressRecord, {});
      return {
        isFinished: row?.finished === true,
        after: row?.after,
      };
    },
    async write({ isFinished, after }) {
      await rows.put({
        ...reconcileProgressRecord.key({}),
        finished: isFinished,
        ...(after !== undefined && { after }),
      });
    },
  };
}

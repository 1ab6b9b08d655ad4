// The progress of the reconciliation's round over all people: one row of the platform.
import type { ReconcileProgress } from "../../../domain/provisioning/reconcile.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";

export function reconcileProgress(rows: Rows): ReconcileProgress {
  return {
    async read() {
      const row = await rows.get(keys.reconcileProgress());
      return {
        isFinished: row?.finished === true,
        after: row?.after === undefined ? undefined : String(row.after),
      };
    },
    async write({ isFinished, after }) {
      await rows.put({ ...keys.reconcileProgress(), finished: isFinished, ...(after !== undefined && { after }) });
    },
  };
}

// The progress of the reconciliation over all people: one row of the platform.
import type { ReconcileProgress } from "../../../domain/provisioning/reconcile.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";

export function reconcileProgress(rows: Rows): ReconcileProgress {
  return {
    async read() {
      const row = await rows.get(keys.reconcileProgress());
      return {
        finishedRound: Number(row?.walked ?? 0),
        after: row?.after === undefined ? undefined : String(row.after),
      };
    },
    async write({ finishedRound, after }) {
      await rows.put({ ...keys.reconcileProgress(), walked: finishedRound, ...(after !== undefined && { after }) });
    },
  };
}

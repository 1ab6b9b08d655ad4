// The progress of the reconciliation: one row of the platform holds the number of the last round over all people that was finished.
import type { ReconcileProgress } from "../../../domain/provisioning/reconcile.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";

export function reconcileProgress(rows: Rows): ReconcileProgress {
  return {
    finishedRound: async () => Number((await rows.get(keys.reconcileProgress()))?.walked ?? 0),
    async finish(walked) {
      await rows.put({ ...keys.reconcileProgress(), walked });
    },
  };
}

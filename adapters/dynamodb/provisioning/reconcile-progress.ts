// The progress of the reconciliation: one row of the platform holds the number of the last round over all people that was finished.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { ReconcileProgress } from "../../../domain/provisioning/reconcile.ts";
import { rowsOf } from "../rows.ts";
import { keys } from "../schema.ts";

export function reconcileProgress(client: DynamoDBDocumentClient, tableName: string): ReconcileProgress {
  const rows = rowsOf(client, tableName);
  return {
    finishedRound: async () => Number((await rows.get(keys.reconcileProgress()))?.walked ?? 0),
    async finish(walked) {
      await rows.put({ ...keys.reconcileProgress(), walked });
    },
  };
}

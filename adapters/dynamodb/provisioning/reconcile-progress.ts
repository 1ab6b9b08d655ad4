// Which round over all people the reconciliation finished last, in one row of the platform's own.
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

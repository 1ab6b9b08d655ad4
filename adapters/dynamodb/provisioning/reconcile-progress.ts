// Which round over all people the reconciliation finished last, in one row of the platform's own.
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { ReconcileProgress } from "../../../domain/provisioning/reconcile.ts";
import { withRetries } from "../client.ts";
import { keys } from "../schema.ts";

export function reconcileProgress(client: DynamoDBDocumentClient, tableName: string): ReconcileProgress {
  return {
    async finishedRound() {
      const command = new GetCommand({ TableName: tableName, Key: keys.reconcileProgress(), ConsistentRead: true });
      return Number((await withRetries(() => client.send(command))).Item?.walked ?? 0);
    },

    async finish(walked) {
      const command = new PutCommand({ TableName: tableName, Item: { ...keys.reconcileProgress(), walked } });
      await withRetries(() => client.send(command));
    },
  };
}

// How far the sweep is: which walk over all people was finished last, in one row of the platform's own.
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { SweepProgress } from "../../../domain/provisioning/sweep.ts";
import { withRetries } from "../client.ts";
import { keys } from "../schema.ts";

export function sweepProgress(client: DynamoDBDocumentClient, tableName: string): SweepProgress {
  return {
    async walked() {
      const command = new GetCommand({ TableName: tableName, Key: keys.sweepProgress(), ConsistentRead: true });
      return Number((await withRetries(() => client.send(command))).Item?.walked ?? 0);
    },

    async walkIs(walked) {
      const command = new PutCommand({ TableName: tableName, Item: { ...keys.sweepProgress(), walked } });
      await withRetries(() => client.send(command));
    },
  };
}

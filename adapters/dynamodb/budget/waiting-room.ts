// The places of calls that wait for their budgets: one item for each tenant, with an attribute for each waiting call.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { WaitingRoom } from "../../../domain/budget/waiting.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { withRetries, written } from "../client.ts";
import { keys } from "../schema.ts";

type WaitingRoomOptions = {
  client: DynamoDBDocumentClient;
  tableName: string;
  /** How many calls of one tenant may wait at a time. */
  places: number;
  clock: () => number;
};

const prefix = "w#";

export function waitingRoom({ client, tableName, places, clock }: WaitingRoomOptions): WaitingRoom {
  const item = (tenantId: string) => ({ TableName: tableName, Key: keys.waitingRoom(tenantId) });

  /** The room as it stood if there was no place; undefined if one was taken. */
  async function take(tenantId: string, name: string, until: number): Promise<Record<string, unknown> | undefined> {
    const command = new UpdateCommand({
      ...item(tenantId),
      UpdateExpression: "SET #w = :until, expires_at = :end ADD waiting :one",
      ConditionExpression: "attribute_not_exists(#w) AND (attribute_not_exists(waiting) OR waiting < :places)",
      ExpressionAttributeNames: { "#w": name },
      ExpressionAttributeValues: { ":until": until, ":end": endOf(until), ":one": 1, ":places": places },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    try {
      await withRetries(() => client.send(command));
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item ? unmarshall(error.Item) : {};
    }
  }

  /** Frees the place once, however often it is asked for. */
  async function free(tenantId: string, name: string): Promise<boolean> {
    const command = new UpdateCommand({
      ...item(tenantId),
      UpdateExpression: "REMOVE #w ADD waiting :minus_one",
      ConditionExpression: "attribute_exists(#w)",
      ExpressionAttributeNames: { "#w": name },
      ExpressionAttributeValues: { ":minus_one": -1 },
    });
    return written(() => client.send(command));
  }

  /** Frees the places of functions that died. */
  async function freeExpired(tenantId: string, room: Record<string, unknown>): Promise<boolean> {
    const expired = Object.entries(room).filter(([name, until]) => name.startsWith(prefix) && Number(until) < clock());
    for (const [name] of expired) await free(tenantId, name);
    return expired.length > 0;
  }

  return {
    async enter(tenantId, requestId, until) {
      if (places === 0) return false;
      const name = prefix + requestId;
      const full = await take(tenantId, name, until);
      // The call's own place is there already if an answer was lost.
      if (!full || name in full) return true;
      return (await freeExpired(tenantId, full)) && (await take(tenantId, name, until)) === undefined;
    },

    async leave(tenantId, requestId) {
      await free(tenantId, prefix + requestId);
    },
  };
}

/** The second from which the item may be deleted: a day after its last place is free, so that clocks may differ. */
function endOf(until: number): number {
  return expiresAt("waitingRoom", until);
}

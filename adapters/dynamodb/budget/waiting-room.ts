// The places of calls that wait for their budgets: one item for each tenant, with an attribute for each waiting call.
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { WaitingRoom } from "../../../domain/budget/waiting.ts";
import { itemMetBy, withRetries } from "../client.ts";
import { rowsOf } from "../rows.ts";
import { waitingRoomRecord } from "./waiting-room.record.ts";

type WaitingRoomOptions = {
  client: DynamoDBDocumentClient;
  tableName: string;
  /** How many calls of one tenant may wait at a time. */
  places: number;
  clock: () => number;
};

const prefix = "w#";

export function waitingRoom({ client, tableName, places, clock }: WaitingRoomOptions): WaitingRoom {
  const rows = rowsOf(client, tableName);

  /** The room as it stood if there was no place; undefined if one was taken. */
  async function take(tenantId: string, name: string, until: number): Promise<Record<string, unknown> | undefined> {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: waitingRoomRecord.key({ tenant_id: tenantId }),
      UpdateExpression: "SET #w = :until, expires_at = :end ADD waiting :one",
      ConditionExpression: "attribute_not_exists(#w) AND (attribute_not_exists(waiting) OR waiting < :places)",
      ExpressionAttributeNames: { "#w": name },
      ExpressionAttributeValues: {
        ":until": until,
        ":end": waitingRoomRecord.expiresAt(until),
        ":one": 1,
        ":places": places,
      },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    try {
      await withRetries(() => client.send(command));
      return undefined;
    } catch (error) {
      return itemMetBy(error);
    }
  }

  /** Frees the place once, however often it is asked for. */
  const free = (tenantId: string, name: string) =>
    rows.update(waitingRoomRecord.key({ tenant_id: tenantId }), {
      UpdateExpression: "REMOVE #w ADD waiting :minus_one",
      ConditionExpression: "attribute_exists(#w)",
      ExpressionAttributeNames: { "#w": name },
      ExpressionAttributeValues: { ":minus_one": -1 },
    });

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

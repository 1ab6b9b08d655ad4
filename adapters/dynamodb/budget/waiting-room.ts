// The places of those who wait for the budget's turn, of the whole account: one item with an attribute for each.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { WaitingRoom } from "../../../domain/budget/waiting-room.ts";
import { withRetries, written } from "../client.ts";
import { keys } from "../schema.ts";

type WaitingRoomOptions = {
  client: DynamoDBDocumentClient;
  tableName: string;
  /** How many may wait at a time. */
  places: number;
  clock: () => number;
};

const prefix = "w#";

export function waitingRoom({ client, tableName, places, clock }: WaitingRoomOptions): WaitingRoom {
  const item = { TableName: tableName, Key: keys.waitingRoom() };

  /** The room as it stood if there was no place; nothing if one was taken. */
  async function take(name: string, until: number): Promise<Record<string, unknown> | undefined> {
    const command = new UpdateCommand({
      ...item,
      UpdateExpression: "SET #w = :until ADD waiting :one",
      ConditionExpression: "attribute_not_exists(#w) AND (attribute_not_exists(waiting) OR waiting < :places)",
      ExpressionAttributeNames: { "#w": name },
      ExpressionAttributeValues: { ":until": until, ":one": 1, ":places": places },
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

  /** Once, however often it is asked for. */
  async function free(name: string): Promise<boolean> {
    const command = new UpdateCommand({
      ...item,
      UpdateExpression: "REMOVE #w ADD waiting :minus_one",
      ConditionExpression: "attribute_exists(#w)",
      ExpressionAttributeNames: { "#w": name },
      ExpressionAttributeValues: { ":minus_one": -1 },
    });
    return written(() => client.send(command));
  }

  /** Those of functions that died. */
  async function freeExpired(room: Record<string, unknown>): Promise<boolean> {
    const expired = Object.entries(room).filter(([name, until]) => name.startsWith(prefix) && Number(until) < clock());
    for (const [name] of expired) await free(name);
    return expired.length > 0;
  }

  return {
    async enter(requestId, until) {
      if (places === 0) return false;
      const name = prefix + requestId;
      const full = await take(name, until);
      // Ours is there already if an answer was lost.
      if (!full || name in full) return true;
      return (await freeExpired(full)) && (await take(name, until)) === undefined;
    },

    async leave(requestId) {
      await free(prefix + requestId);
    },
  };
}

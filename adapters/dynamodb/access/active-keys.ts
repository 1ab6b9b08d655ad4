// A caller's active keys: one row with their number and an attribute for each, its end. Every change of a caller's keys moves the
// row's version, so that what was decided by the row is written only if it is still so. The row also says a service account's
// monthly budget, for the meter, which may not read keys.
import { setTimeout as sleep } from "node:timers/promises";
import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { type ApiKey, isPast, maxActiveKeys } from "../../../domain/access/api-key.ts";
import { isLastingConflict, unavailable, withRetries } from "../client.ts";
import { keys } from "../schema.ts";

/** The end by key id, in ISO 8601; undefined for a key without one. Keys that are past it leave the row with the next change. */
export type ActiveKeys = { ends: Map<string, string | undefined>; version: number };

type Caller = Pick<ApiKey, "tenant_id" | "caller_id">;
type Changes = {
  put?: Pick<ApiKey, "key_id" | "expires_at">[];
  remove?: string[];
  /** The limits of a service account, as its keys have them from now on. */
  grant?: ApiKey["grant"];
};

const prefix = "k#";
/** Of a key without an end. */
const endless = "never";

const attempts = 12;
const pauseMs = 10;

export function activeKeyRows(client: DynamoDBDocumentClient, tableName: string) {
  const rowOf = ({ tenant_id, caller_id }: Caller) => ({
    TableName: tableName,
    Key: keys.activeKeys(tenant_id, caller_id),
  });

  return {
    async read(caller: Caller): Promise<ActiveKeys> {
      const command = new GetCommand({ ...rowOf(caller), ConsistentRead: true });
      return activeKeysOf((await withRetries(() => client.send(command))).Item);
    },

    /** The item of a transaction that takes a place for the key. Its condition fails if all are taken. */
    take(key: ApiKey) {
      return {
        Update: {
          ...rowOf(key),
          UpdateExpression: `SET #key = :end${key.grant ? ", monthly_budget_usd = :budget" : ""} ADD active :one, version :one`,
          ConditionExpression: "attribute_not_exists(active) OR active < :max",
          ExpressionAttributeNames: { "#key": prefix + key.key_id },
          ExpressionAttributeValues: {
            ...{ ":end": key.expires_at ?? endless, ":one": 1, ":max": maxActiveKeys },
            ...(key.grant && { ":budget": key.grant.monthly_budget_usd }),
          },
        },
      };
    },

    /** The item of a transaction that changes the row. Its condition fails if others have changed it since it was read. */
    change(caller: Caller, { ends, version }: ActiveKeys, { put = [], remove = [], grant }: Changes) {
      const removed = remove.filter((id) => ends.has(id));
      const added = put.filter(({ key_id }) => !ends.has(key_id));
      const names = [...put.map(({ key_id }) => key_id), ...removed];
      const sets = [
        ...put.map((_, place) => `#k${place} = :e${place}`),
        ...(grant ? ["monthly_budget_usd = :budget"] : []),
      ].join(", ");
      const removes = removed.map((_, place) => `#k${put.length + place}`).join(", ");
      return {
        Update: {
          ...rowOf(caller),
          UpdateExpression: [sets && `SET ${sets}`, removes && `REMOVE ${removes}`, "ADD active :more, version :one"]
            .filter(Boolean)
            .join(" "),
          ConditionExpression: version === 0 ? "attribute_not_exists(version)" : "version = :version",
          ...(names.length > 0 && {
            ExpressionAttributeNames: Object.fromEntries(names.map((id, place) => [`#k${place}`, prefix + id])),
          }),
          ExpressionAttributeValues: {
            ...Object.fromEntries(put.map(({ expires_at }, place) => [`:e${place}`, expires_at ?? endless])),
            ":more": added.length - removed.length,
            ":one": 1,
            ...(grant && { ":budget": grant.monthly_budget_usd }),
            ...(version !== 0 && { ":version": version }),
          },
        },
      };
    },
  };
}

/** @param item none for a caller who never had a key */
export function activeKeysOf(item: Record<string, unknown> = {}): ActiveKeys {
  const found = Object.entries(item).filter(([name]) => name.startsWith(prefix));
  const endOf = (end: unknown) => (end === endless ? undefined : String(end));
  return {
    ends: new Map(found.map(([name, end]) => [name.slice(prefix.length), endOf(end)])),
    version: Number(item.version ?? 0),
  };
}

/** The ids of keys that are past their end. @param now in milliseconds */
export function endedOf({ ends }: ActiveKeys, now: number): string[] {
  return [...ends].filter(([, end]) => isPast(end, now)).map(([id]) => id);
}

/**
 * Tries until there is a result: undefined, or a conflict that lasts, says that others are changing the row.
 * @throws Refusal store_unavailable if they do so at each try.
 */
export async function untilSettled<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tried = 1; tried <= attempts; tried++) {
    const result = await attempt().catch((error) => {
      if (!isLastingConflict(error)) throw error;
      return undefined;
    });
    if (result !== undefined) return result;
    await sleep(Math.random() * pauseMs * tried);
  }
  throw unavailable(new Error("the caller's keys were changed by others at each try"));
}

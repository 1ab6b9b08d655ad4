// Places of a caller's active keys: one row with the number of keys and, for each key, an attribute with its end. Every change of a
// caller's keys raises the row's version, so a decision made from the row is written only if the row is still the same. The row also
// holds a service account's monthly budget for the meter, which may not read keys. A second row counts a tenant's service accounts.
import { type ApiKey, isPast } from "../../../domain/access/api-key.ts";
import { maxActiveKeys } from "../../../domain/access/key-place.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";

/** The end by key id, in ISO 8601; undefined for a key without an end. Expired keys leave the row with the next change. */
export type ActiveKeys = { ends: Map<string, string | undefined>; version: number };

type Caller = Pick<ApiKey, "tenant_id" | "caller_id">;
type Changes = {
  put?: Pick<ApiKey, "key_id" | "expires_at">[];
  remove?: string[];
  /** The new limits of a service account. */
  grant?: ApiKey["grant"];
};

const prefix = "k#";
/** Stored as the end of a key without one. */
const endless = "never";

export function keyPlaces(rows: Rows) {
  const keyOf = ({ tenant_id, caller_id }: Caller) => keys.activeKeys(tenant_id, caller_id);

  /** A tenant's service accounts: their number, and an attribute for each. */
  const accountsOf = ({ tenant_id, caller_id }: Caller) => ({
    Key: keys.serviceAccounts(tenant_id),
    ExpressionAttributeNames: { "#account": `a#${caller_id}` },
  });

  return {
    read: async (caller: Caller): Promise<ActiveKeys> => activeKeysOf(await rows.get(keyOf(caller))),

    /** Takes a place for the key, as an item of a transaction. The condition fails if all places are taken. */
    take(key: ApiKey) {
      return {
        Update: {
          Key: keyOf(key),
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

    /** Changes the row, as an item of a transaction. The condition fails if the row has changed since it was read. */
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
          Key: keyOf(caller),
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

    /** Takes a place for a new service account. The condition fails if the tenant has as many as it may. */
    takeAccount: (key: ApiKey, max: number) => ({
      Update: {
        ...accountsOf(key),
        UpdateExpression: "SET #account = :now ADD accounts :one",
        ConditionExpression: "attribute_not_exists(#account) AND (attribute_not_exists(accounts) OR accounts < :max)",
        ExpressionAttributeValues: { ":now": key.created_at, ":one": 1, ":max": max },
      },
    }),

    leaveAccount: (key: ApiKey) => ({
      Update: {
        ...accountsOf(key),
        UpdateExpression: "REMOVE #account ADD accounts :minus_one",
        ConditionExpression: "attribute_exists(#account)",
        ExpressionAttributeValues: { ":minus_one": -1 },
      },
    }),
  };
}

/** @param item undefined for a caller who never had a key */
export function activeKeysOf(item: Record<string, unknown> = {}): ActiveKeys {
  const found = Object.entries(item).filter(([name]) => name.startsWith(prefix));
  const endOf = (end: unknown) => (end === endless ? undefined : String(end));
  return {
    ends: new Map(found.map(([name, end]) => [name.slice(prefix.length), endOf(end)])),
    version: Number(item.version ?? 0),
  };
}

/** Ids of expired keys. @param now in milliseconds */
export function expiredIn({ ends }: Pick<ActiveKeys, "ends">, now: number): string[] {
  return [...ends].filter(([, end]) => isPast(end, now)).map(([id]) => id);
}

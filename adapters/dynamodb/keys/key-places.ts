// Places of a caller's active keys: one row with the number of keys and, for each key, an attribute with its end. Every change of a
// caller's keys raises the row's version, so a decision made from the row is written only if the row is still the same. The row also
// holds a service account's monthly budget for the meter, which may not read keys, and its name, which is the one that a key of it got last. A second row counts a tenant's service accounts.
import { type ApiKey, isPast } from "../../../domain/access/api-key.ts";
import { maxActiveKeys } from "../../../domain/keys/key-place.ts";
import type { Rows } from "../rows.ts";
import { attribute, change, joined, setting, update, when } from "../write.ts";
import { activeKeysRecord } from "./active-keys.record.ts";
import { serviceAccountsRecord } from "./service-accounts.record.ts";

/** The end by key id, in ISO 8601; undefined for a key without an end. Expired keys leave the row with the next change. */
export type ActiveKeys = { ends: Map<string, string | undefined>; version: number };

type Caller = Pick<ApiKey, "tenant_id" | "caller_id">;
type Changes = {
  put?: Pick<ApiKey, "key_id" | "expires_at">[];
  remove?: string[];
  /** The new name and limits of a service account. */
  account?: Pick<ApiKey, "name" | "grant"> | undefined;
};

const prefix = "k#";
/** The value that stands for the end of a key without one. */
const endless = "never";

export function keyPlaces(rows: Rows) {
  const keyOf = ({ tenant_id, caller_id }: Caller) => activeKeysRecord.key({ tenant_id, caller_id });

  /** The attribute of a service account in the row of its tenant's accounts. */
  const accountOf = ({ caller_id }: Caller) => attribute(`a#${caller_id}`);
  return {
    read: async (caller: Caller): Promise<ActiveKeys> => activeKeysOf(await rows.get(keyOf(caller))),

    /** Takes a place for the key, as an item of a transaction. The condition fails if all places are taken. */
    take(key: ApiKey) {
      const place = attribute(prefix + key.key_id);
      const end = key.expires_at ?? endless;
      const taken = key.grant
        ? change`SET ${place} = ${end}, #name = ${key.name}, monthly_budget_usd = ${key.grant.monthly_budget_usd} ADD active ${1}, version ${1}`
        : change`SET ${place} = ${end} ADD active ${1}, version ${1}`;
      return update(keyOf(key), taken, when`attribute_not_exists(active) OR active < ${maxActiveKeys}`);
    },

    /** Changes the row, as an item of a transaction. The condition fails if the row has changed since it was read. */
    change(caller: Caller, { ends, version }: ActiveKeys, { put = [], remove = [], account }: Changes) {
      const removed = remove.filter((id) => ends.has(id));
      const added = put.filter(({ key_id }) => !ends.has(key_id));
      const attributes = setting({
        ...Object.fromEntries(put.map(({ expires_at }, place) => [`k${place}`, expires_at ?? endless])),
        ...Object.fromEntries(removed.map((_, place) => [`k${put.length + place}`, undefined])),
        ...(account && { name: account.name, monthly_budget_usd: account.grant?.monthly_budget_usd }),
      });
      // Ids of keys are no names of an expression, so the attributes have their places as names there.
      const names = [...put.map(({ key_id }) => key_id), ...removed].map((id, place) => [`#k${place}`, prefix + id]);
      const named = { ...attributes.ExpressionAttributeNames, ...Object.fromEntries(names) };
      const counted = change`ADD active ${added.length - removed.length}, version ${1}`;
      return update(
        keyOf(caller),
        joined({ ...attributes, ExpressionAttributeNames: named }, counted),
        version === 0 ? when`attribute_not_exists(version)` : when`version = ${version}`,
      );
    },

    /** Takes a place for a new service account. The condition fails if the tenant has as many as it may. */
    takeAccount: (key: ApiKey, max: number) =>
      update(
        serviceAccountsRecord.key({ tenant_id: key.tenant_id }),
        change`SET ${accountOf(key)} = ${key.created_at} ADD accounts ${1}`,
        when`attribute_not_exists(${accountOf(key)}) AND (attribute_not_exists(accounts) OR accounts < ${max})`,
      ),

    leaveAccount: (key: ApiKey) =>
      update(
        serviceAccountsRecord.key({ tenant_id: key.tenant_id }),
        change`REMOVE ${accountOf(key)} ADD accounts ${-1}`,
        when`attribute_exists(${accountOf(key)})`,
      ),
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

// Places for keys: how many active keys a caller may have, and how many service accounts a workspace. The store's conditions hold
// the same rules (adapters/dynamodb/keys/key-places.ts); a test compares the two.
import { isPast } from "../access/api-key.ts";

/** Most active keys of one caller, a person or a service account. All keys of a person who leaves end in one transaction of the store. */
export const maxActiveKeys = 50;

/**
 * Whether a caller has a place for one more key. Expired keys take none.
 * @param ends the end of each key that is not revoked, in ISO 8601; undefined for a key without an end
 * @param now in milliseconds
 */
export function hasKeyPlace(ends: readonly (string | undefined)[], now: number): boolean {
  return ends.filter((end) => !isPast(end, now)).length < maxActiveKeys;
}

/** Whether a workspace may have one more service account. */
export function hasAccountPlace(accounts: number, maxServiceAccounts: number): boolean {
  return accounts < maxServiceAccounts;
}

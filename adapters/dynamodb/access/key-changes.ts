// Changes of API keys, each in one transaction with the row of the caller's places and the audit entry.
import { type ApiKey, type ApiKeyStore, isActive, isPast } from "../../../domain/access/api-key.ts";
import { hasKeyPlace, maxActiveKeys } from "../../../domain/access/key-place.ts";
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import { contended } from "../client.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { type ActiveKeys, expiredIn, keyPlaces } from "./key-places.ts";
import { keyList, readKey } from "./key-record.ts";
import { keyChange, keyMembership, keyPut, keyRevocation } from "./key-writes.ts";

export function keyChanges(rows: Rows): Pick<ApiKeyStore, "update" | "rotate" | "revoke"> {
  const places = keyPlaces(rows);
  const list = keyList(rows);

  return {
    update(before, after, entry) {
      const { key_id } = before;
      const { name, expires_at, grant } = after;
      return optimistically(async () => {
        const active = await places.read(before);
        const now = Date.parse(entry.at);
        const uncounted = await uncountedKeys(active, before, now);
        if (!uncounted) return "changed";
        const isCounting = uncounted.length > 0;
        if (isCounting && !hasKeyPlace([...active.ends.values()], now, uncounted.length)) return "full";
        const remove = isCounting ? expiredIn(active, now) : [];
        const siblings = [...active.ends.keys(), ...idsOf(uncounted)].filter((id) => id !== key_id);
        const items = [
          keyChange(key_id, { name, key_expires_at: expires_at, grant }, before.version),
          places.change(before, active, { put: [after, ...others(uncounted, key_id)], remove, grant }),
          ...(isSame(before.grant, grant) ? [] : siblings.map((id) => keyChange(id, { grant }))),
          auditPut(entry),
        ];
        const failed = await rows.transact(items, contended);
        if (failed === undefined) return "updated";
        return failed === 0 ? "changed" : undefined;
      });
    },

    rotate({ old, oldEndsAt, successor }, now, entry) {
      const isPerson = old.role !== "service_account";
      return optimistically(async () => {
        const active = await places.read(old);
        const uncounted = await uncountedKeys(active, old, now);
        if (!uncounted) return "changed";
        const put = [{ key_id: old.key_id, expires_at: oldEndsAt }, ...others(uncounted, old.key_id)];
        const ends = new Map([...active.ends, ...put.map(({ key_id, expires_at }) => [key_id, expires_at] as const)]);
        if (!hasKeyPlace([...ends.values()], now)) return "full";
        const isOver = isPast(oldEndsAt, now);
        const remove = expiredIn({ ends }, now);
        const items = [
          keyPut(successor),
          keyChange(old.key_id, { key_expires_at: oldEndsAt, replaced_by: successor.key_id }, old.version),
          places.change(old, active, { put: [successor, ...(isOver ? put.slice(1) : put)], remove }),
          ...(isPerson ? [keyMembership(old)] : []),
          auditPut(entry),
        ];
        const failed = await rows.transact(items, contended);
        if (failed === undefined) return "rotated";
        if (failed === 0) {
          return (await readKey(rows, successor.key_id))?.hash === successor.hash ? "rotated" : "taken";
        }
        if (failed === 1) return "changed";
        return failed === 3 ? "no_member" : undefined;
      });
    },

    revoke(tenantId, keyId, callerId, now, entry, expected) {
      return optimistically(async () => {
        const key = await readKey(rows, keyId);
        if (key?.tenant_id !== tenantId || (callerId !== undefined && key.caller_id !== callerId)) return false;
        if (expected && !expected.includes(String(key.version))) return { version: String(key.version) };
        if (key.status === "revoked") return true;
        const active = await places.read(key);
        const remove = [...new Set([...expiredIn(active, now), keyId])];
        const all = [...active.ends.keys(), ...idsOf((await uncountedKeys(active, key, now)) ?? [])];
        const isLast = all.length > 0 && all.every((id) => remove.includes(id));
        const items = [
          keyRevocation(keyId, now, expected && key.version),
          places.change(key, active, { remove }),
          ...(isLast && key.role === "service_account" ? [places.leaveAccount(key)] : []),
          auditPut(entry),
        ];
        return (await rows.transact(items, contended)) === undefined ? true : undefined;
      });
    },
  };

  /**
   * Keys that were created before callers had a row of places. An active key that is missing in the row is such a key; then all
   * active keys of its caller that are missing are returned, and the change adds them to the row. Empty if the row has the key;
   * undefined if the key is not active.
   */
  async function uncountedKeys({ ends }: ActiveKeys, key: ApiKey, now: number): Promise<ApiKey[] | undefined> {
    if (ends.has(key.key_id)) return [];
    if (!isActive(key, now)) return undefined;
    const found = [key];
    let after: string | undefined;
    do {
      const page = await list(key.tenant_id, key.caller_id, { limit: maxActiveKeys, after });
      const missing = page.items.filter((one) => isActive(one, now) && !ends.has(one.key_id));
      found.push(...others(missing, key.key_id));
      after = page.next;
    } while (after !== undefined);
    return found;
  }
}

function idsOf(found: readonly Pick<ApiKey, "key_id">[]): string[] {
  return found.map(({ key_id }) => key_id);
}

function others(found: readonly ApiKey[], keyId: string): ApiKey[] {
  return found.filter(({ key_id }) => key_id !== keyId);
}

function isSame(before: ApiKey["grant"], after: ApiKey["grant"]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

// Changes of API keys, each in one transaction with the row of the caller's active keys and the entry of the audit trail.
import type { DynamoDBDocumentClient, TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { type ApiKey, type ApiKeyStore, isActive, isPast, maxActiveKeys } from "../../../domain/access/api-key.ts";
import { transact } from "../client.ts";
import { auditPut } from "../workspace/audit.ts";
import { type ActiveKeys, activeKeyRows, endedOf, untilSettled } from "./active-keys.ts";
import { apiKeyItems } from "./api-key-items.ts";
import { apiKeyList } from "./api-key-list.ts";
import { readKey } from "./stored-api-key.ts";

type TransactItems = NonNullable<TransactWriteCommandInput["TransactItems"]>;

export function apiKeyChanges(
  client: DynamoDBDocumentClient,
  tableName: string,
): Pick<ApiKeyStore, "update" | "rotate" | "revoke"> {
  const rows = activeKeyRows(client, tableName);
  const items = apiKeyItems(tableName);
  const list = apiKeyList(client, tableName);

  return {
    update(before, after, entry) {
      const { key_id } = before;
      const { name, expires_at, grant } = after;
      return untilSettled(async () => {
        const active = await rows.read(before);
        const now = Date.parse(entry.at);
        const older = await olderThan(active, before, now);
        if (!older) return "changed";
        const remove = older.length > 0 ? endedOf(active, now) : [];
        if (active.ends.size - remove.length + older.length > maxActiveKeys) return "full";
        const siblings = [...active.ends.keys(), ...idsOf(older)].filter((id) => id !== key_id);
        const failed = await transact(client, [
          items.change(key_id, { name, key_expires_at: expires_at, grant }, before.version),
          rows.change(before, active, { put: [after, ...others(older, key_id)], remove, grant }),
          ...(isSame(before.grant, grant) ? [] : siblings.map((id) => items.change(id, { grant }))),
          auditPut(tableName, entry),
        ]);
        if (failed === undefined) return "updated";
        return failed === 0 ? "changed" : undefined;
      });
    },

    rotate({ old, oldEndsAt, successor }, now, entry) {
      const isPerson = old.role !== "service_account";
      return untilSettled(async () => {
        const active = await rows.read(old);
        const older = await olderThan(active, old, now);
        if (!older) return "changed";
        const isOver = isPast(oldEndsAt, now);
        const remove = [...endedOf(active, now).filter((id) => id !== old.key_id), ...(isOver ? [old.key_id] : [])];
        if (active.ends.size + older.length - remove.length >= maxActiveKeys) return "full";
        const put = [
          successor,
          ...(isOver ? [] : [{ key_id: old.key_id, expires_at: oldEndsAt }]),
          ...others(older, old.key_id),
        ];
        const failed = await transact(client, [
          items.put(successor),
          items.change(old.key_id, { key_expires_at: oldEndsAt, replaced_by: successor.key_id }, old.version),
          rows.change(old, active, { put, remove }),
          ...(isPerson ? [items.membership(old)] : []),
          auditPut(tableName, entry),
        ]);
        if (failed === undefined) return "rotated";
        if (failed === 0) {
          return (await readKey(client, tableName, successor.key_id))?.hash === successor.hash ? "rotated" : "taken";
        }
        if (failed === 1) return "changed";
        return failed === 3 ? "no_member" : undefined;
      });
    },

    revoke(tenantId, keyId, callerId, now, entry, ifMatch) {
      return untilSettled(async () => {
        const key = await readKey(client, tableName, keyId);
        if (key?.tenant_id !== tenantId || (callerId !== undefined && key.caller_id !== callerId)) return false;
        if (ifMatch && !ifMatch.includes(String(key.version))) return { version: String(key.version) };
        if (key.status === "revoked") return true;
        const active = await rows.read(key);
        const remove = [...new Set([...endedOf(active, now), keyId])];
        const all = [...active.ends.keys(), ...idsOf((await olderThan(active, key, now)) ?? [])];
        const isLast = all.length > 0 && all.every((id) => remove.includes(id));
        const failed = await transact(client, [
          items.revoke(keyId, now, ifMatch && key.version),
          rows.change(key, active, { remove }),
          ...(isLast && key.role === "service_account" ? [items.leaveAccountPlace(key)] : []),
          auditPut(tableName, entry),
        ]);
        return failed === undefined ? true : undefined;
      });
    },
  };

  /**
   * A key that is good and not in its caller's row is older than such rows: then all of the caller's that are, itself among them. The
   * change puts them into the row, so that it is whole afterwards. Nothing if the key is not good.
   */
  async function olderThan({ ends }: ActiveKeys, key: ApiKey, now: number): Promise<ApiKey[] | undefined> {
    if (ends.has(key.key_id)) return [];
    if (!isActive(key, now)) return undefined;
    const found = [key];
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const page = await list(key.tenant_id, key.caller_id, { limit: maxActiveKeys, after });
      found.push(
        ...page.items.filter((one) => isActive(one, now) && !ends.has(one.key_id) && one.key_id !== key.key_id),
      );
      after = page.next;
    }
    return found;
  }
}

function idsOf(found: readonly Pick<ApiKey, "key_id">[]): string[] {
  return found.map(({ key_id }) => key_id);
}

function others(found: readonly ApiKey[], keyId: string): ApiKey[] {
  return found.filter(({ key_id }) => key_id !== keyId);
}

type Removal = { tenantId: string; callerId: string; now: number };

/**
 * Revokes all active keys of a person in one transaction with what else a removal writes, at most 48 items more: 50 keys and their row are
 * 51 of a transaction's 100. Whoever removes lets the membership go in it: without one nobody creates a key afterwards.
 * @param others items of the transaction, given the ids of the keys that are revoked.
 * @returns the position in `others` of the first condition that failed, or undefined if all is written.
 */
export async function revokeAllWith(
  client: DynamoDBDocumentClient,
  tableName: string,
  { tenantId, callerId, now }: Removal,
  others: (keyIds: string[]) => TransactItems,
): Promise<number | undefined> {
  const rows = activeKeyRows(client, tableName);
  const items = apiKeyItems(tableName);
  const caller = { tenant_id: tenantId, caller_id: callerId };
  const { failed } = await untilSettled(async () => {
    const active = await rows.read(caller);
    const keyIds = [...active.ends.keys()];
    const first = others(keyIds);
    const failed = await transact(client, [
      ...first,
      rows.change(caller, active, { remove: keyIds }),
      ...keyIds.map((id) => items.revoke(id, now)),
    ]);
    return failed === undefined || failed < first.length ? { failed } : undefined;
  });
  return failed;
}

function isSame(before: ApiKey["grant"], after: ApiKey["grant"]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

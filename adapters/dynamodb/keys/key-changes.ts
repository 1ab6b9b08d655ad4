// Changes of API keys, each in one transaction with the row of the caller's places and the audit entry.
import { type ApiKey, type ApiKeyStore, isPast } from "../../../domain/access/api-key.ts";
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import { hasKeyPlace } from "../../../domain/keys/key-place.ts";
import { contended } from "../client.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { expiredIn, keyPlaces } from "./key-places.ts";
import { readKey } from "./key-record.ts";
import { keyChange, keyMembership, keyPut, keyRevocation } from "./key-writes.ts";

export function keyChanges(rows: Rows): Pick<ApiKeyStore, "update" | "rotate" | "revoke"> {
  const places = keyPlaces(rows);

  return {
    update(before, after, entry) {
      const { key_id } = before;
      const { name, expires_at, grant } = after;
      return optimistically(async () => {
        const active = await places.read(before);
        if (!active.ends.has(key_id)) return "changed";
        const siblings = [...active.ends.keys()].filter((id) => id !== key_id);
        const items = [
          keyChange(key_id, { name, key_expires_at: expires_at, grant }, before.version),
          places.change(before, active, { put: [after], ...(grant && { account: after }) }),
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
        if (!active.ends.has(old.key_id)) return "changed";
        const ending = { key_id: old.key_id, expires_at: oldEndsAt };
        const ends = new Map([...active.ends, [old.key_id, oldEndsAt]]);
        if (!hasKeyPlace([...ends.values()], now)) return "full";
        const put = isPast(oldEndsAt, now) ? [successor] : [successor, ending];
        const items = [
          keyPut(successor),
          keyChange(old.key_id, { key_expires_at: oldEndsAt, replaced_by: successor.key_id }, old.version),
          places.change(old, active, { put, remove: expiredIn({ ends }, now) }),
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
        const isLast = active.ends.size > 0 && [...active.ends.keys()].every((id) => remove.includes(id));
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
}

function isSame(before: ApiKey["grant"], after: ApiKey["grant"]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

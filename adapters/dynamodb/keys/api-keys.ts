// The store of API keys. Changes of a key are in key-changes.ts.
import type { ApiKeyStore } from "../../../domain/access/api-key.ts";
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import { hasKeyPlace } from "../../../domain/keys/key-place.ts";
import { contended } from "../client.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { keyChanges } from "./key-changes.ts";
import { expiredIn, keyPlaces } from "./key-places.ts";
import { keyList, readKey, readKeys } from "./key-record.ts";
import { keyMembership, keyPut } from "./key-writes.ts";

export function apiKeyStore(rows: Rows): ApiKeyStore {
  const places = keyPlaces(rows);

  return {
    ...keyChanges(rows),

    get: (keyId) => readKey(rows, keyId),

    many: (tenantId, keyIds) => readKeys(rows, tenantId, keyIds),

    create(key, maxServiceAccounts, entry) {
      const isService = key.role === "service_account";
      const caller = isService ? places.takeAccount(key, maxServiceAccounts) : keyMembership(key);
      const now = Date.parse(key.created_at);
      let place = places.take(key);
      return optimistically(async () => {
        const failed = await rows.transact([keyPut(key), caller, place, auditPut(entry)], contended);
        if (failed === undefined) return "created";
        if (failed === 0) return (await this.get(key.key_id))?.hash === key.hash ? "created" : "taken";
        if (failed === 1) return isService ? "full" : "no_member";
        const active = await places.read(key);
        if (!hasKeyPlace([...active.ends.values()], now)) return "full";
        const remove = expiredIn(active, now);
        place = remove.length > 0 ? places.change(key, active, { put: [key], remove }) : places.take(key);
        return undefined;
      });
    },

    list: keyList(rows),
  };
}

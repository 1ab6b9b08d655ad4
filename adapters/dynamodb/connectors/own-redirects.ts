// The store of the addresses that owners name for clients with their gateways' own ids.
import type { OwnRedirectStore } from "../../../domain/connectors/own-redirects.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { put } from "../write.ts";
import { ownRedirectsRecord } from "./own-redirects.record.ts";

export function ownRedirectStore(rows: Rows): OwnRedirectStore {
  return {
    async of(tenantId) {
      return (await rows.read(ownRedirectsRecord, { tenant_id: tenantId }))?.redirect_uris ?? [];
    },

    async put(tenantId, redirectUris, entry) {
      const place = { tenant_id: tenantId };
      const row = { ...ownRedirectsRecord.key(place), ...place, redirect_uris: [...redirectUris] };
      await rows.transact([put(row), auditPut(entry)]);
    },
  };
}

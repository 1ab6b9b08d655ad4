// The store of the addresses that owners name for clients with their gateways' own ids.
import type { OwnRedirectStore } from "../../../domain/connectors/own-redirects.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { put } from "../write.ts";
import { ownRedirectsRecord } from "./own-redirects.record.ts";

export function ownRedirectStore(rows: Rows): OwnRedirectStore {
  return {
    async of(tenant_id) {
      return (await rows.read(ownRedirectsRecord, { tenant_id }))?.redirect_uris ?? [];
    },

    async put(tenant_id, redirectUris, entry) {
      const row = { ...ownRedirectsRecord.key({ tenant_id }), tenant_id, redirect_uris: [...redirectUris] };
      await rows.transact([put(row), auditPut(entry)]);
    },
  };
}

// The store of families of refresh tokens.
import type { RefreshFamilies } from "../../../domain/connectors/refresh-family.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { change, update, when } from "../write.ts";
import { refreshFamilyRecord } from "./refresh-family.record.ts";

export function refreshFamilies(rows: Rows): RefreshFamilies {
  return {
    get: (tenantId, familyId) => rows.read(refreshFamilyRecord, { tenant_id: tenantId, family_id: familyId }),

    async begin({ tenant_id, family_id, generation, since }, until) {
      const expiresAt = refreshFamilyRecord.expiresAt(until);
      const set = change`SET tenant_id = ${tenant_id}, family_id = ${family_id}, generation = ${generation}, since = ${since}, expires_at = ${expiresAt}`;
      const isNewer = when`attribute_not_exists(generation) OR generation < ${generation}`;
      await rows.update(refreshFamilyRecord.key({ tenant_id, family_id }), set, isNewer);
    },

    async noteStale(tenantId, familyId, at, entry) {
      const isFirst = when`attribute_exists(pk) AND attribute_not_exists(stale_seen_at)`;
      const noted = update(
        refreshFamilyRecord.key({ tenant_id: tenantId, family_id: familyId }),
        change`SET stale_seen_at = ${at}`,
        isFirst,
      );
      await rows.transact([noted, auditPut(entry)]);
    },
  };
}

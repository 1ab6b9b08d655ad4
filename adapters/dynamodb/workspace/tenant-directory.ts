// The directory of tenants in the table: finds ids in the rows of slugs, profiles or statuses, and reads the tenants in one call.
import { together } from "../../../domain/kernel/together.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { TenantDirectory } from "../../../domain/workspace/tenant-directory.ts";
import { hasKey } from "../client.ts";
import { listed } from "../listed.ts";
import { membershipRecord, profileRecord } from "../people/user.record.ts";
import type { Rows } from "../rows.ts";
import { directoryRecord } from "./directory.record.ts";
import { slugReservationRecord } from "./slug-reservation.record.ts";
import { tenantRecord } from "./tenant.record.ts";
import { tenantOf } from "./tenants.ts";

export function tenantDirectory(rows: Rows): TenantDirectory {
  /** Tenants in the order of the ids, without those that do not exist any more. */
  async function tenantsOf(ids: readonly string[]): Promise<Tenant[]> {
    const { item } = await rows.batch(ids.map((tenantId) => tenantRecord.key({ tenant_id: tenantId })));
    return ids.flatMap((id) => tenantOf(item(tenantRecord.key({ tenant_id: id }))) ?? []);
  }

  return {
    async bySlug(slug) {
      const reservation = await rows.get(slugReservationRecord.key({ slug }));
      return reservation ? tenantsOf([String(reservation.tenant_id)]) : [];
    },

    async byOwnerEmail(email) {
      const { gsi1_pk: pk, gsi1_sk: prefix } = profileRecord.indexKey({ email });
      const profiles = await rows.all({ pk, prefix, by: "index" });
      const own = profiles.filter((item) => hasKey(item, profileRecord.key({ sub: String(item.sub) })));
      const owned = await together(
        own.map(async ({ sub }) => {
          const { pk, sk: prefix } = membershipRecord.key({ sub: String(sub), tenant_id: "" });
          const memberships = await rows.all({ pk, prefix }, { ConsistentRead: false });
          return memberships.filter(({ tenant_role }) => tenant_role === "owner").map((each) => String(each.tenant_id));
        }),
      );
      return tenantsOf([...new Set(owned.flat())]);
    },

    async byStatus(status, { limit, after }) {
      const { gsi1_pk: pk } = directoryRecord.indexKey({ status, since: "", tenant_id: "" });
      const [since = "", tenantId = ""] = after?.split("#") ?? [];
      const start = {
        ...directoryRecord.key({ tenant_id: tenantId }),
        ...directoryRecord.indexKey({ status, since, tenant_id: tenantId }),
      };
      const { items, isMore } = await listed(
        rows,
        { pk, by: "index" },
        {
          limit,
          start: after === undefined ? undefined : start,
          isListed: (item) => hasKey(item, directoryRecord.key({ tenant_id: String(item.tenant_id) })),
        },
      );
      const found = await tenantsOf(items.map(({ tenant_id }) => String(tenant_id)));
      const next = isMore ? String(items.at(-1)?.gsi1_sk) : undefined;
      return { items: found.filter((tenant) => tenant.status === status), next };
    },
  };
}

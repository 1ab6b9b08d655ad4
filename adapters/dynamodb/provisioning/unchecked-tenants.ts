// The list of tenants that the reconciliation has yet to look at.
import type { UncheckedTenants } from "../../../domain/provisioning/setup-completion.ts";
import { hasKey } from "../client.ts";
import type { Rows } from "../rows.ts";
import { directoryRecord } from "../workspace/directory.record.ts";
import { change, when } from "../write.ts";

export function uncheckedTenants(rows: Rows): UncheckedTenants {
  return {
    async *unchecked(until) {
      const range = directoryRecord.activeIndexRange({});
      for await (const page of rows.pages({ ...range, upTo: `${until}#~` })) {
        for (const item of page) {
          const tenantId = String(item.gsi2_sk).split("#")[1] ?? "";
          if (hasKey(item, directoryRecord.key({ tenant_id: tenantId }))) yield tenantId;
        }
      }
    },

    async checked(tenantId) {
      await rows.update(
        directoryRecord.key({ tenant_id: tenantId }),
        change`REMOVE gsi2_pk, gsi2_sk`,
        when`attribute_exists(gsi2_pk)`,
      );
    },
  };
}

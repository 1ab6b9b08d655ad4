// Slots of an owner's workspaces: each is an attribute of the row that lists what the owner has, and a number on the tenant's row.
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import { firstSlot, type SlotStore } from "../../../domain/provisioning/billing-setup.ts";
import type { Rows } from "../rows.ts";
import { ownedTenantsRecord } from "../workspace/owned-tenants.record.ts";
import { slotAttribute, tenantAttribute } from "../workspace/owned-tenants.ts";
import { tenantRecord } from "../workspace/tenant.record.ts";
import { attribute, change, setting, update, when } from "../write.ts";

export function slotStore(rows: Rows): SlotStore {
  return {
    claim({ tenant_id, owner_sub }) {
      return optimistically(async () => {
        const tenant = await rows.get(tenantRecord.key({ tenant_id }));
        if (typeof tenant?.billing_slot === "number") return tenant.billing_slot;
        const owned = (await rows.get(ownedTenantsRecord.key({ owner_sub }))) ?? {};
        if (!tenant || !(tenantAttribute(tenant_id) in owned))
          throw new Error(`tenant ${tenant_id} is not among its owner's`);
        let slot = firstSlot;
        while (slotAttribute(slot) in owned) slot += 1;
        const free = attribute(slotAttribute(slot));
        const failed = await rows.transact([
          update(
            tenantRecord.key({ tenant_id }),
            setting({ billing_slot: slot }),
            when`attribute_exists(pk) AND attribute_not_exists(billing_slot)`,
          ),
          update(
            ownedTenantsRecord.key({ owner_sub }),
            change`SET ${free} = ${tenant_id}`,
            when`attribute_exists(${attribute(tenantAttribute(tenant_id))}) AND attribute_not_exists(${free})`,
          ),
        ]);
        return failed === undefined ? slot : undefined;
      });
    },
  };
}

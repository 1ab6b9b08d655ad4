// A workspace's slot: which of the owner's meters and prices it is billed by. Two workspaces of an owner never share one, since
// usage on a meter is billed on each of the customer's subscriptions that has its price.
import type { Tenant } from "../workspace/tenant.ts";

/** Counted from 1: `usage_1`, `usage_2` ... (`npm run stripe:setup` makes as many as an owner may have workspaces). */
export const firstSlot = 1;

export interface SlotStore {
  /** The slot of the tenant: its own, or the lowest that is free. It is free again when the tenant is purged. */
  claim(tenant: Pick<Tenant, "tenant_id" | "owner_sub">): Promise<number>;
}

// The slot of a workspace: the number of the meter and price by which it is billed. Two workspaces of an owner never share a slot,
// since usage on a meter is billed on each of the customer's subscriptions that has its price.
import type { Tenant } from "../workspace/tenant.ts";

/** Counted from 1: `usage_1`, `usage_2` ... (`npm run stripe:setup` makes as many as an owner may have workspaces). */
export const firstSlot = 1;

export interface SlotStore {
  /** Gives the tenant its slot: the one that it has, or the owner's lowest free one. A purge frees the slot. */
  claim(tenant: Pick<Tenant, "tenant_id" | "owner_sub">): Promise<number>;
}

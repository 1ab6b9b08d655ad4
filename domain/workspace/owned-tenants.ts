// The tenants of an owner, deleted ones included until they are purged. The write that takes a tenant from them decides whether it is the last.
import type { Tenant } from "./tenant.ts";

export interface OwnedTenants {
  /** Ids of the owner's tenants. */
  of(ownerSub: string): Promise<string[]>;
  /**
   * Takes a tenant from its owner's, with its slot. The last one stays among them, and its owner opens no other from then on until
   * its purge is over: what belongs to the owner goes with it. May be repeated.
   * @returns whether it is the last
   */
  release(tenant: Pick<Tenant, "tenant_id" | "owner_sub" | "billing_slot">): Promise<boolean>;
}

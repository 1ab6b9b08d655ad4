// The directory in which the platform's administrators find tenants: by slug, by their owner's e-mail address, and by status.
import type { Page, PageRequest } from "../kernel/page.ts";
import type { Tenant, TenantStatus } from "./tenant.ts";

export interface TenantDirectory {
  bySlug(slug: string): Promise<Tenant[]>;
  /** All tenants, in any status, whose owner has this address. */
  byOwnerEmail(email: string): Promise<Tenant[]>;
  /** In the order in which the tenants got the status. */
  byStatus(status: TenantStatus, page: PageRequest): Promise<Page<Tenant>>;
}

// How the platform's administrators find tenants: by address, by their owner's e-mail address, by status.
import type { Page, PageRequest } from "../kernel/page.ts";
import type { Tenant, TenantStatus } from "./tenant.ts";

export interface TenantDirectory {
  bySlug(slug: string): Promise<Tenant[]>;
  /** All that a person with this address owns, whatever their status. */
  byOwnerEmail(email: string): Promise<Tenant[]>;
  /** In the order in which they came into it. */
  byStatus(status: TenantStatus, page: PageRequest): Promise<Page<Tenant>>;
}

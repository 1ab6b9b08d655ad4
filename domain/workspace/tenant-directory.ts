// How the platform's administrators find tenants: by address, by their owner's e-mail address, by status.
import * as z from "zod";
import { filteredPageQuery, type Page, type PageRequest } from "../kernel/page.ts";
import { maxSlugLength } from "./slug.ts";
import { type Tenant, type TenantStatus, tenantStatuses } from "./tenant.ts";

export interface TenantDirectory {
  bySlug(slug: string): Promise<Tenant[]>;
  /** All that a person with this address owns, whatever their status. */
  byOwnerEmail(email: string): Promise<Tenant[]>;
  /** In the order in which they came into it. */
  byStatus(status: TenantStatus, page: PageRequest): Promise<Page<Tenant>>;
}

/** The query of GET /v1/tenants: with one of the filters it is a search. */
export const tenantQuery = filteredPageQuery({
  slug: z.string().min(1).max(maxSlugLength).optional(),
  email: z.string().min(3).max(254).optional(),
  status: z.enum(tenantStatuses, { error: () => `must be one of ${tenantStatuses.join(", ")}` }).optional(),
});

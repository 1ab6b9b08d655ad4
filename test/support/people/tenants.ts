// Tenants as a creation drafts them.
import { setupSteps, type Tenant } from "../../../domain/workspace/tenant.ts";

export function aTenantOf(owner_sub: string, tenant_id: string, more: Partial<Tenant> = {}): Tenant {
  return {
    tenant_id,
    name: tenant_id,
    slug: `slug-${tenant_id}`,
    owner_sub,
    tier: "starter",
    status: "active",
    has_payment_method: false,
    default_region: "eu-central-1",
    created_at: "2026-11-21T05:00:00.000Z",
    setup_state: { pending: [...setupSteps] },
    ...more,
  };
}

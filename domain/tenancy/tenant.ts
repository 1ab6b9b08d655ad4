// A tenant: a workspace created by its owner, with exactly the specification's fields, when it was made, and what its setup lacks.
import * as z from "zod";
import { regions } from "../access/region.ts";

export const tiers = ["starter", "pro", "enterprise"] as const;
export const tenantStatuses = ["active", "suspended", "deleted"] as const;

/** What creating a tenant does, in the specification's order; the row of the tenant itself comes before all of them. */
export const setupSteps = ["kms_key", "stripe_customer", "stripe_subscription", "free_credit", "membership"] as const;
export type SetupStep = (typeof setupSteps)[number];

export const tenantSchema = z.object({
  tenant_id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  owner_sub: z.string(),
  stripe_subscription_id: z.string().optional(),
  tier: z.enum(tiers),
  status: z.enum(tenantStatuses),
  has_payment_method: z.boolean(),
  default_region: z.enum(regions),
  kms_cmk_arn: z.string().optional(),
  created_at: z.iso.datetime(),
  deleted_at: z.iso.datetime().optional(),
  /** Steps of the creation that are not done yet; none when the tenant is complete. */
  setup_state: z.object({ pending: z.array(z.enum(setupSteps)) }),
});

export type Tenant = z.infer<typeof tenantSchema>;

/** Tokens that a new tenant may use before it has a payment method (specification, "Limits"). */
export const freeCreditTokens = 10_000;

export interface TenantStore {
  get(tenantId: string): Promise<Tenant | undefined>;
  /** By the slug index: a tenant appears there within moments of its creation or renaming. */
  getBySlug(slug: string): Promise<Tenant | undefined>;
}

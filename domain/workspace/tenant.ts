// A tenant: a workspace created by its owner, with exactly the specification's fields, when it was made, and what its setup lacks.
import * as z from "zod";
import { regions } from "../catalog/region.ts";
import { parseUsd } from "../kernel/money.ts";

export const tiers = ["starter", "pro", "enterprise"] as const;
export const tenantStatuses = ["active", "suspended", "deleted"] as const;

/** What creating a tenant does, in the specification's order; the row of the tenant itself comes before all of them. */
export const setupSteps = ["kms_key", "stripe_customer", "stripe_subscription", "free_credit", "membership"] as const;
export type SetupStep = (typeof setupSteps)[number];

/** Those whose effect lies outside the table: each has a row of the manifest. */
export const outsideSteps = ["kms_key", "stripe_customer", "stripe_subscription"] as const satisfies SetupStep[];
export type OutsideStep = (typeof outsideSteps)[number];

export type TenantStatus = (typeof tenantStatuses)[number];

/** Decimal USD, as the API takes and gives it. */
export const usdAmount = z.number().superRefine((value, context) => {
  try {
    parseUsd(value);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});
/** Says that a month's cap was reached, and what was spent then, in nano-USD. */
const capMark = z.object({ month: z.string(), spent: z.int() });
export type CapMark = z.infer<typeof capMark>;

export const tenantSchema = z.object({
  tenant_id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  owner_sub: z.string(),
  /** None until it is made (billing/subscription.ts). */
  stripe_subscription_id: z.string().optional(),
  /** The owner's customer, to whom the subscription belongs. Not shown outside. */
  stripe_customer_id: z.string().optional(),
  /** Which meter and price the workspace is billed by: 1 and up, another one for each of an owner's. Not shown outside. */
  billing_slot: z.int().min(1).optional(),
  tier: z.enum(tiers),
  status: z.enum(tenantStatuses),
  has_payment_method: z.boolean(),
  default_region: z.enum(regions),
  /** Set by the meter alone (workspace-cap.ts). */
  capped_month: capMark.optional(),
  kms_cmk_arn: z.string().optional(),
  created_at: z.iso.datetime(),
  deleted_at: z.iso.datetime().optional(),
  /** Decimal USD that all callers together may spend in a calendar month (UTC); no cap without it. */
  monthly_cap_usd: usdAmount.optional(),
  /** For the owner and the platform's administrators; only while the tenant is suspended. */
  suspended_reason: z.string().optional(),
  suspended_at: z.iso.datetime().optional(),
  /** Counts the changes since the creation; none before the first. */
  version: z.int().optional(),
  /** Steps of the creation that are not done yet; none when the tenant is complete. */
  setup_state: z.object({ pending: z.array(z.enum(setupSteps)) }),
});

export type Tenant = z.infer<typeof tenantSchema>;

/** Tokens that a new tenant may use before it has a payment method (specification, "Limits"). */
export const freeCreditTokens = 10_000;

export interface TenantStore {
  get(tenantId: string): Promise<Tenant | undefined>;
  /** Those of many ids that exist; each id once. @throws Refusal store_unavailable */
  many(tenantIds: readonly string[]): Promise<Tenant[]>;
  /** By the slug index: a tenant appears there within moments of its creation or renaming. */
  getBySlug(slug: string): Promise<Tenant | undefined>;
}

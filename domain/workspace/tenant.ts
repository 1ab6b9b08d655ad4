// A tenant: a workspace created by its owner. It has the fields of docs/specification.md, its time of creation, and the pending steps of
// its setup.
import * as z from "zod";
import { regions } from "../catalog/region.ts";
import { parseUsd } from "../kernel/money.ts";

export const tiers = ["starter", "pro", "enterprise"] as const;
export const tenantStatuses = ["active", "suspended", "deleted"] as const;

/** Steps of a tenant's creation in the order of docs/specification.md. The row of the tenant is written before all of them. */
export const setupSteps = ["kms_key", "stripe_customer", "stripe_subscription", "free_credit", "membership"] as const;
export type SetupStep = (typeof setupSteps)[number];

/** Steps with an effect outside the table. Each has a row of the manifest. */
export const outsideSteps = ["kms_key", "stripe_customer", "stripe_subscription"] as const satisfies SetupStep[];
export type OutsideStep = (typeof outsideSteps)[number];

export type TenantStatus = (typeof tenantStatuses)[number];

/** Decimal USD in requests and answers. */
export const usdAmount = z.number().superRefine((value, context) => {
  try {
    parseUsd(value);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});
/** The mark of a month whose cap was reached, with the amount spent by then in nano-USD. */
const capMark = z.object({ month: z.string(), spent: z.int() });
export type CapMark = z.infer<typeof capMark>;

export const tenantSchema = z.object({
  tenant_id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  owner_sub: z.string(),
  /** Missing until the subscription is created. */
  stripe_subscription_id: z.string().optional(),
  /** Id of the owner's customer, to whom the subscription belongs. Answers do not show it. */
  stripe_customer_id: z.string().optional(),
  /** Number of the meter and price that bill the workspace: from 1 on, different for each workspace of an owner. Answers do not show it. */
  billing_slot: z.int().min(1).optional(),
  tier: z.enum(tiers),
  status: z.enum(tenantStatuses),
  has_payment_method: z.boolean(),
  default_region: z.enum(regions),
  /** Only the meter sets it (domain/budget/workspace-cap.ts). */
  capped_month: capMark.optional(),
  kms_cmk_arn: z.string().optional(),
  created_at: z.iso.datetime(),
  deleted_at: z.iso.datetime().optional(),
  /** The platform admin who asked to purge the deleted tenant before its time. Answers do not show it. */
  purge_requested_by: z.string().optional(),
  /** Decimal USD that all callers together may spend in a calendar month (UTC). Without it there is no cap. */
  monthly_cap_usd: usdAmount.optional(),
  /** Where mails about its billing go; without any to the owner. Only `GET /v1/billing` shows them. */
  billing_emails: z.array(z.string()).optional(),
  /** The owner's purchase order number, which its invoices name. Only `GET /v1/billing` shows it. */
  purchase_order: z.string().optional(),
  /** Set only while the tenant is suspended. Only the owner and the platform's administrators see it. */
  suspended_reason: z.string().optional(),
  suspended_at: z.iso.datetime().optional(),
  /** Number of changes since the creation; missing before the first. */
  version: z.int().optional(),
  /** Steps of the creation that are not done yet; empty once the tenant is complete. */
  setup_state: z.object({ pending: z.array(z.enum(setupSteps)) }),
});

export type Tenant = z.infer<typeof tenantSchema>;

/** Tokens that a new tenant may use before it has a payment method (docs/specification.md, Limits). */
export const freeCreditTokens = 10_000;

export interface TenantStore {
  get(tenantId: string): Promise<Tenant | undefined>;
  /** The tenants that exist among these ids, each given once. @throws Refusal store_unavailable */
  many(tenantIds: readonly string[]): Promise<Tenant[]>;
  /** Reads the index of slugs, where a tenant appears within moments of its creation or renaming. */
  getBySlug(slug: string): Promise<Tenant | undefined>;
}

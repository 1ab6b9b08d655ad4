// A tenant: a workspace created by its owner. It has the fields of docs/specification.md, its time of creation, and the pending steps of
// its setup.
import * as z from "zod";
import { regionName } from "../catalog/region-name.ts";
import { parseUsd } from "../kernel/money.ts";

const tiers = ["starter", "pro", "enterprise"] as const;
export const tenantStatuses = ["active", "suspended", "deleted"] as const;

/** Steps of a tenant's creation in the order of docs/specification.md. The row of the tenant is written before all of them. */
export const setupSteps = ["kms_key", "stripe_customer", "stripe_subscription", "free_credit", "membership"] as const;
export type SetupStep = (typeof setupSteps)[number];

/** Steps with an effect outside the table. Each has a row of the manifest. */
export const outsideSteps = ["kms_key", "stripe_customer", "stripe_subscription"] as const satisfies SetupStep[];
export type OutsideStep = (typeof outsideSteps)[number];
/** Steps at the payment provider. A stack without one carries them out once it has one. */
export const billingSteps = ["stripe_customer", "stripe_subscription"] as const satisfies OutsideStep[];

export const tenantStatus = z
  .enum(tenantStatuses, { error: () => `must be one of ${tenantStatuses.join(", ")}` })
  .meta({ id: "TenantStatus", description: "Whether a workspace is active, suspended or deleted" });

export const tier = z
  .enum(tiers, { error: () => `must be one of ${tiers.join(", ")}` })
  .meta({ id: "Tier", description: "Tier of a workspace" });

const setupStep = z.enum(setupSteps).meta({ id: "SetupStep", description: "A step of the creation of a workspace" });

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
  tenant_id: z.uuid().describe("Id of the workspace"),
  name: z.string().describe("Name of the workspace, for people. Its address is made from the name"),
  slug: z.string().describe("Name of the workspace in addresses"),
  owner_sub: z.string().describe("`user_id` of the owner"),
  stripe_subscription_id: z
    .string()
    .optional()
    .describe("Id of the workspace's subscription at the payment provider. Missing until it is created"),
  /** Id of the owner's customer, to whom the subscription belongs. Answers do not show it. */
  stripe_customer_id: z.string().optional(),
  /** Number of the meter and price that bill the workspace: from 1 on, different for each workspace of an owner. Answers do not show it. */
  billing_slot: z.int().min(1).optional(),
  tier: tier.describe("Tier of the workspace, chosen by platform administrators"),
  status: tenantStatus.describe(
    "Status of the workspace. `suspended`: it can be read, but models cannot be called. `deleted`: it is purged 14 days after the deletion",
  ),
  has_payment_method: z.boolean().describe("Whether the owner has a payment method"),
  default_region: regionName.describe("Region of calls that name no region"),
  browser_origins: z
    .array(z.string())
    .optional()
    .describe("Origins of web pages whose scripts may call models from a browser. Missing if there are none"),
  /** The month in which the workspace reached its cap. Only the meter sets it (domain/budget/workspace-cap.ts). */
  capped_month: capMark.optional(),
  /** The month in which whole answers are kept short. Only the meter sets it (domain/budget/unexplained.ts). */
  unexplained_month: z.string().optional(),
  kms_cmk_arn: z
    .string()
    .optional()
    .describe("ARN of the workspace's encryption key. Missing until the key is created"),
  created_at: z.iso.datetime().describe("When the workspace was created"),
  deleted_at: z.iso.datetime().optional().describe("When the workspace was deleted"),
  /** The platform admin who asked to purge the deleted tenant before its time. Answers do not show it. */
  purge_requested_by: z.string().optional(),
  monthly_cap_usd: usdAmount
    .optional()
    .describe(
      "The most that all callers together may spend in a calendar month (UTC), in USD. Missing if there is no cap",
    ),
  /** Where mails about its billing go; without any to the owner. Only `GET /v1/billing` shows them. */
  billing_emails: z.array(z.string()).optional(),
  /** The owner's purchase order number, which its invoices name. Only `GET /v1/billing` shows it. */
  purchase_order: z.string().optional(),
  suspended_reason: z
    .string()
    .optional()
    .describe("Why the workspace is suspended. Shown to its owner and to platform administrators"),
  suspended_at: z.iso.datetime().optional().describe("When the workspace was suspended"),
  version: z.int().optional().describe("Version of the workspace: the number of changes since its creation"),
  setup_state: z
    .object({
      pending: z
        .array(setupStep)
        .describe(
          "Steps of the creation that are not done yet. Empty once the workspace is complete. If the platform does not bill, it has no steps at the payment provider",
        ),
    })
    .meta({ id: "SetupState", description: "Progress of the creation of a workspace" })
    .describe("Progress of the workspace's creation"),
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
  /** Whether a tenant has this slug, one that is deleted and not yet purged too. */
  isSlugTaken(slug: string): Promise<boolean>;
}

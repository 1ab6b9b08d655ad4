// A tenant: a workspace created by its owner, with exactly the specification's fields, when it was made, and what its setup lacks.
import * as z from "zod";
import { regions } from "../access/region.ts";
import { displayName } from "../display-name.ts";
import { parseUsd } from "../money.ts";
import { fields } from "../validation.ts";
import { checkSlug, maxSlugLength, type SlugProblem, slugify } from "./slug.ts";

export const tiers = ["starter", "pro", "enterprise"] as const;
export const tenantStatuses = ["active", "suspended", "deleted"] as const;

/** What creating a tenant does, in the specification's order; the row of the tenant itself comes before all of them. */
export const setupSteps = ["kms_key", "stripe_customer", "stripe_subscription", "free_credit", "membership"] as const;
export type SetupStep = (typeof setupSteps)[number];

export type TenantStatus = (typeof tenantStatuses)[number];

const amount = z.number().superRefine((value, context) => {
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
  stripe_subscription_id: z.string().optional(),
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
  monthly_cap_usd: amount.optional(),
  /** For the owner and the platform's administrators; only while the tenant is suspended. */
  suspended_reason: z.string().optional(),
  suspended_at: z.iso.datetime().optional(),
  /** Counts the changes since the creation; none before the first. */
  version: z.int().optional(),
  /** Steps of the creation that are not done yet; none when the tenant is complete. */
  setup_state: z.object({ pending: z.array(z.enum(setupSteps)) }),
});

export type Tenant = z.infer<typeof tenantSchema>;

const slugProblems: Record<SlugProblem, string> = {
  empty: "must have letters or digits of which an address can be made",
  malformed: "gives no address",
  too_long: `gives an address that is longer than ${maxSlugLength} characters`,
  reserved: "gives an address that is reserved",
};

/** A display name. Its slug is the tenant's address, so it must give a usable one. */
const tenantName = displayName.max(200, "must have at most 200 characters").superRefine((name, context) => {
  const check = checkSlug(slugify(name));
  if (!check.ok) context.addIssue({ code: "custom", message: slugProblems[check.reason] });
});

const region = z.enum(regions, { error: () => `must be one of ${regions.join(", ")}` });

/** The onboarding form: the body of POST /v1/tenants. */
export const tenantBody = fields({ name: tenantName, default_region: region.optional() });

/** What may be changed later: the body of PATCH /v1/tenants/{id}. */
export const tenantPatch = fields({
  name: tenantName.optional(),
  default_region: region.optional(),
  /** `null` takes the cap away. */
  monthly_cap_usd: amount.nullable().optional(),
  /** For the platform's administrators. */
  tier: z.enum(tiers, { error: () => `must be one of ${tiers.join(", ")}` }).optional(),
}).refine((patch) => Object.keys(patch).length > 0, "must name a field to change");

export type TenantPatch = z.output<typeof tenantPatch>;

/** Why a tenant is suspended, as its owner reads it: the body of POST /v1/tenants/{id}/suspend. */
export const suspensionBody = fields({
  reason: displayName.min(1, "must have 1 to 500 characters").max(500, "must have 1 to 500 characters"),
});

/** Tokens that a new tenant may use before it has a payment method (specification, "Limits"). */
export const freeCreditTokens = 10_000;

export interface TenantStore {
  get(tenantId: string): Promise<Tenant | undefined>;
  /** Those of many ids that exist; each id once. @throws Refusal store_unavailable */
  many(tenantIds: readonly string[]): Promise<Tenant[]>;
  /** By the slug index: a tenant appears there within moments of its creation or renaming. */
  getBySlug(slug: string): Promise<Tenant | undefined>;
}

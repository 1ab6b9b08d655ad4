// The record of a tenant.
import * as z from "zod";
import { regions } from "../../../domain/catalog/region.ts";
import { type SetupStep, setupSteps, type Tenant, tenantStatuses, tier } from "../../../domain/workspace/tenant.ts";
import { defineRecord, schemaOf } from "../record.ts";

/** A tenant as it is stored. The steps of its setup that are still to come are a set, from which each step removes itself. */
type TenantRow = Omit<Tenant, "setup_state"> & {
  setup_pending?: Set<SetupStep>;
  /** How many mails were sent to people who are invited, and on which day (UTC). */
  invitation_mails?: { day: string; sent: number };
};

export const tenantRecord = defineRecord({
  kind: "tenant",
  title: "tenant",
  pk: "TENANT#{tenant_id}",
  sk: "TENANT",
  index: { pk: "SLUG#{slug}", sk: "TENANT" },
  schema: schemaOf<TenantRow>()(
    z.object({
      tenant_id: z.string(),
      name: z.string(),
      slug: z.string(),
      owner_sub: z.string(),
      stripe_subscription_id: z.string().optional(),
      stripe_customer_id: z.string().optional(),
      billing_slot: z.number().optional(),
      tier,
      status: z.enum(tenantStatuses),
      has_payment_method: z.boolean(),
      default_region: z.enum(regions),
      capped_month: z.object({ month: z.string(), spent: z.number() }).optional(),
      unexplained_month: z.string().optional(),
      kms_cmk_arn: z.string().optional(),
      created_at: z.string(),
      deleted_at: z.string().optional(),
      purge_requested_by: z.string().optional(),
      monthly_cap_usd: z.number().optional(),
      browser_origins: z.array(z.string()).optional(),
      billing_emails: z.array(z.string()).optional(),
      purchase_order: z.string().optional(),
      suspended_reason: z.string().optional(),
      suspended_at: z.string().optional(),
      version: z.number().optional(),
      setup_pending: z.set(z.enum(setupSteps)).optional(),
      invitation_mails: z.object({ day: z.string(), sent: z.number() }).optional(),
    }),
  ),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "transaction" },
  control: ["get", "batchGet", "put", "update"],
  written:
    "at the tenant's creation; `stripe_customer_id`, `billing_slot` and `stripe_subscription_id` by the creation's steps that bill; `capped_month` and `unexplained_month` by the meter; `billing_emails` and `purchase_order` by `PATCH /v1/billing`; `invitation_mails` with each mail to an invited person",
});

/** The attributes by which the meter marks a tenant: its cap is reached, or its whole answers are kept short. */
export const markAttributes = ["pk", "sk", "capped_month", "unexplained_month"] as const;

/** The attributes of a tenant that the payment provider's events decide. */
export const paymentState = ["has_payment_method", "tier", "status", "suspended_reason", "suspended_at"] as const;

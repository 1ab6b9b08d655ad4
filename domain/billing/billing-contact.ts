// The contact of a workspace's billing: who gets mails about it, and what its invoices name beside it.
import * as z from "zod";
import { displayName } from "../kernel/display-name.ts";
import { fields } from "../kernel/validation.ts";
import { emailAddress } from "../people/invitation.ts";
import type { Tenant } from "../workspace/tenant.ts";

const mostEmails = 5;

/** The body of PATCH /v1/billing. */
export const billingContactBody = fields({
  billing_emails: z
    .array(emailAddress)
    .max(mostEmails, `must have at most ${mostEmails} addresses`)
    .refine((all) => new Set(all).size === all.length, "must name each address once")
    .optional()
    .describe(
      "Addresses that get the mails about payments instead of the owner. With an empty list the owner gets them",
    ),
  purchase_order: displayName
    .min(1, "must have 1 to 100 characters")
    .max(100, "must have 1 to 100 characters")
    .nullable()
    .optional()
    .describe("Order number that is printed on every invoice of the workspace, drafts included. `null` removes it"),
})
  .refine((body) => Object.keys(body).length > 0, "must name a field to change")
  .meta({
    id: "BillingContactPatch",
    description: "Changes of the billing contact. A field that is left out keeps its value",
  });

export type BillingContactBody = z.output<typeof billingContactBody>;

export const billingContactSchema = z
  .object({
    billing_emails: z
      .array(z.string())
      .describe("Addresses that get the mails about payments. If the list is empty, the owner gets them"),
    purchase_order: z.string().optional().describe("Order number that is printed on every invoice of the workspace"),
  })
  .meta({ id: "BillingContact", description: "Recipients of mails about payments, and the order number on invoices" });

export function billingContact(
  tenant: Pick<Tenant, "billing_emails" | "purchase_order">,
): z.output<typeof billingContactSchema> {
  const { billing_emails = [], purchase_order } = tenant;
  return { billing_emails, ...(purchase_order !== undefined && { purchase_order }) };
}

export function withContact(tenant: Tenant, { billing_emails, purchase_order }: BillingContactBody): Tenant {
  const { billing_emails: emailsBefore, purchase_order: orderBefore, ...rest } = tenant;
  const emails = billing_emails ?? emailsBefore ?? [];
  const order = purchase_order === undefined ? orderBefore : purchase_order;
  return {
    ...rest,
    ...(emails.length > 0 && { billing_emails: emails }),
    ...(typeof order === "string" && { purchase_order: order }),
  };
}

// Other functions ask the function `payments` for these actions.
import * as z from "zod";
import { ownerInvoiceSchema } from "../domain/billing/owner-invoices.ts";
import { paymentStateSchema } from "../domain/billing/owner-payments.ts";

const tenant = z.object({ tenant_id: z.string() });
const page = z.object({ url: z.string() });

export const paymentsActions = {
  /** Makes the owner's customer and the subscription of a tenant that lacks them. */
  set_up: { input: tenant, result: z.object({}) },
  /** Ends the billing of a deleted tenant. `ended` is false while some of its usage is still to be reported. */
  end: { input: tenant, result: z.object({ ended: z.boolean() }) },
  /** Ends the billing, and removes the customer with the owner's last tenant. `removed` says how much, by the kind of resource. */
  remove: {
    input: tenant,
    result: z.object({ removed: z.union([z.record(z.string(), z.int()), z.literal("waiting")]) }),
  },
  /** Reads an owner's state at the payment provider, and brings the owner's workspaces in line with it. */
  refresh: { input: z.object({ owner_sub: z.string() }), result: z.object({}) },
  /** The state of a tenant and its owner at the payment provider. */
  state: { input: tenant, result: z.object({ state: paymentStateSchema.nullable() }) },
  invoices: {
    input: tenant.extend({ limit: z.int(), after: z.string().optional() }),
    result: z.object({
      page: z.object({ items: z.array(ownerInvoiceSchema), next: z.string().optional() }).nullable(),
    }),
  },
  /** Makes the workspace's invoices name it as it is called now. */
  label: { input: tenant, result: z.object({}) },
  open_setup_page: { input: tenant.extend({ success_url: z.string(), cancel_url: z.string() }), result: page },
  open_portal_page: { input: tenant.extend({ return_url: z.string() }), result: page },
};

// The routes of billing, as data.
import * as z from "zod";
import { billingContactBody, billingContactSchema } from "../../../domain/billing/billing-contact.ts";
import { ownerInvoiceSchema } from "../../../domain/billing/owner-invoices.ts";
import { paymentStateSchema } from "../../../domain/billing/owner-payments.ts";
import { fields } from "../../../domain/kernel/validation.ts";
import { freeCreditSchema } from "../../../domain/reporting/free-credit.ts";
import { exportedPageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const paymentStates = ["off", "pending", "ready", "unavailable"] as const;

const billing = z
  .object({
    as_of: z.iso.datetime().describe("When these figures were read"),
    free_credit: freeCreditSchema
      .optional()
      .describe("The workspace's free credit. Missing if the platform does not bill"),
    month: z
      .object({
        month: z.string().describe("The calendar month (UTC), e.g. `2026-11`"),
        list_price_usd: z
          .number()
          .describe(
            "Cost of all calls of the month at list price, in USD: `settled_usd` plus `estimated_usd`. Calls that free credit paid are included",
          ),
        settled_usd: z.number().describe("Cost of calls whose usage the model host reported, at list price in USD"),
        estimated_usd: z
          .number()
          .describe("Known part of the cost of calls whose usage the model host did not report, at list price in USD"),
        unbilled_usd: z
          .number()
          .describe(
            "The part of `list_price_usd` for calls that were made while the platform did not bill. It is never billed",
          ),
        credit_usd: z
          .number()
          .describe(
            "The part of `list_price_usd` that free credit paid, or will pay when the hour of the call is closed",
          ),
        billed_usd: z
          .number()
          .describe(
            "Amount of the month that invoices bill, in USD before tax: `list_price_usd` without `unbilled_usd` and `credit_usd`, times `markup`. An invoice's `usage_usd` is the sum of this amount over its month and all earlier months, cut to six decimals, less the `usage_usd` of all earlier invoices",
          ),
        price_usd: z.number().describe("`list_price_usd` without `unbilled_usd`, times `markup`"),
        markup: z
          .number()
          .describe(
            "Factor between the list price and the platform's price. It is fixed for a month when the month's usage is first reported",
          ),
        complete: z
          .boolean()
          .describe(
            "False if the hours that are not closed yet have more calls than one answer can read. The figures are then too low",
          ),
      })
      .meta({ id: "BilledMonth", description: "Figures of one month" }),
    reported_usd: z
      .number()
      .describe(
        "Amount of the month, in USD at the platform's prices, that the payment provider was last told. The month's invoice bills this amount plus usage that is still to come, tax and rounding. 0 once the invoice is final",
      ),
    unreported_usd: z
      .number()
      .describe(
        "Usage of all months that is neither on a final invoice nor reported to the payment provider for a coming invoice, in USD at the platform's prices and without free credit. The current hour and corrections are included. Negative if more was billed than used: later invoices are then lower",
      ),
    has_payment_method: z.boolean().describe("Whether the owner has a payment method"),
    unpaid: z
      .object({
        limit_usd: z
          .number()
          .describe(
            "The most that the owner may use without paying, in USD. The limit grows with each paid invoice. In the owner's first week, and in the first month, paid usage counts against it, too",
          ),
        billed_from_usd: z
          .number()
          .describe(
            "From this amount of unpaid usage on, usage is invoiced and charged within the hour instead of at the end of the month. Not while another invoice is open",
          ),
        used_usd: z
          .number()
          .describe(
            "Usage that is neither paid nor settled by the platform's staff, in USD. An interrupted call counts with the most that it may have cost, until its cost is known",
          ),
        reserved_usd: z
          .number()
          .describe(
            "The most that calls in flight may cost, plus budget that callers hold for their next calls, in USD. Another call can take the held budget at once, but must wait for calls in flight",
          ),
      })
      .meta({
        id: "Unpaid",
        description: "Limit for usage that is not paid yet, over all workspaces of the owner, at the platform's prices",
      })
      .optional()
      .describe(
        "Limit for unpaid usage. Missing if there is no limit: in tier `pro` and above, or if the platform does not bill",
      ),
    contact: billingContactSchema,
    payments: paymentStateSchema
      .omit({ balance: true })
      .extend({
        state: z
          .enum(paymentStates)
          .describe(
            "`off`: the platform does not bill. `pending`: the owner is not a customer of the payment provider yet. `ready`: the figures are those of the payment provider. `unavailable`: the payment provider does not answer, and its figures are missing",
          ),
        balance_usd: paymentStateSchema.shape.balance
          .optional()
          .describe(
            "Balance of the owner, in USD: amounts that were too small to be charged. A negative balance is a credit of the owner. Missing unless `state` is `ready`",
          ),
      })
      .meta({ id: "Payments", description: "The owner's payments, as the payment provider has them" }),
  })
  .meta({ id: "Billing", description: "Free credit, figures of a month, and open payments" });

const month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, "must be a month such as 2026-11")
  .optional()
  .describe("The calendar month (UTC), e.g. `2026-11`. By default the current month");

const back = fields({
  origin: z
    .string()
    .max(255, "must have at most 255 characters")
    .optional()
    .describe("Address of the console to which the page links back. By default the stack's first console address"),
});

const page = z
  .object({ url: z.url().describe("Address of the page. It can be opened once") })
  .meta({ id: "HostedPage", description: "A page at the payment provider" });

const aSubscription = {
  subscription_id: "sub_1SExample",
  status: "active",
  started_at: "2026-11-21T05:00:00.000Z",
  period_ends_at: "2026-12-01T00:00:00.000Z",
};

const aContact = { billing_emails: ["invoices@acme.test"], purchase_order: "PO-2026-117" };

const anInvoice = {
  invoice_id: "in_1SExample",
  number: "ACME-0003",
  status: "paid",
  tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  workspace: "Acme (acme)",
  purchase_order: "PO-2026-117",
  month: "2026-10",
  usage_usd: 31.072113,
  currency: "usd",
  subtotal: 31.07,
  tax: 5.9,
  total: 36.97,
  paid: 36.97,
  due: 0,
  created_at: "2026-11-01T00:00:00.000Z",
  finalized_at: "2026-11-04T00:00:00.000Z",
  paid_at: "2026-11-04T01:00:00.000Z",
  url: "https://invoice.stripe.com/i/example",
  pdf_url: "https://pay.stripe.com/invoice/example/pdf",
  receipt_url: "https://pay.stripe.com/receipts/example",
} as const;

/** A page at the payment provider, made for the owner. */
const hostedPage = {
  query: back,
  status: 201,
  response: page,
  location: "{url}",
  openIn: "suspended",
  refusals: ["not_found", "payments_unavailable"],
} as const;

export const billingRoutes = {
  getBilling: {
    method: "GET",
    path: "/v1/billing",
    access: "owner",
    asksOutside: true,
    summary: "Get free credit, the figures of a month, open payments and unpaid usage",
    query: fields({ month }),
    response: billing,
    example: {
      response: {
        as_of: "2026-11-21T06:10:00.000Z",
        free_credit: { granted_tokens: 10_000, spent_tokens: 10_000, left_tokens: 0 },
        month: {
          month: "2026-11",
          list_price_usd: 12.5,
          settled_usd: 12.4,
          estimated_usd: 0.1,
          unbilled_usd: 0,
          credit_usd: 0.5,
          billed_usd: 14.4,
          price_usd: 15,
          markup: 1.2,
          complete: true,
        },
        reported_usd: 14.2,
        unreported_usd: 0.42,
        has_payment_method: true,
        unpaid: { limit_usd: 50, billed_from_usd: 25, used_usd: 15.1, reserved_usd: 3.6 },
        contact: aContact,
        payments: {
          state: "ready",
          balance_usd: 0,
          subscription: aSubscription,
          invoices: [
            {
              invoice_id: "in_1SExample",
              subscription_id: "sub_1SExample",
              status: "open",
              currency: "usd",
              total: 31.07,
              due: 31.07,
              created_at: "2026-11-01T00:00:00.000Z",
              next_attempt_at: "2026-11-24T00:00:00.000Z",
              url: "https://invoice.stripe.com/i/example",
            },
          ],
          disputes: [{ dispute_id: "du_1SExample", status: "needs_response", amount: 12.5 }],
        },
      },
    },
  },
  listInvoices: {
    method: "GET",
    path: "/v1/billing/invoices",
    access: "owner",
    asksOutside: true,
    summary: "List the owner's invoices of all workspaces, newest first, including paid ones",
    query: exportedPageQuery({}),
    response: pageSchema(ownerInvoiceSchema),
    csv: Object.keys(ownerInvoiceSchema.shape),
    refusals: ["payments_unavailable"],
    example: { response: { data: [anInvoice] } },
  },
  changeBillingContact: {
    method: "PATCH",
    path: "/v1/billing",
    access: "owner",
    asksOutside: true,
    summary: "Change who gets the mails about payments, and the order number on invoices",
    body: writtenBy(billingContactBody, "owner"),
    response: billingContactSchema,
    openIn: "suspended",
    refusals: ["changed_meanwhile"],
    example: { body: aContact, response: aContact },
  },
  setUpPayment: {
    method: "POST",
    path: "/v1/billing/setup",
    access: "owner",
    asksOutside: true,
    summary: "Create a page at the payment provider on which the owner adds a payment method",
    ...hostedPage,
    example: { response: { url: "https://checkout.stripe.com/c/pay/cs_example" } },
  },
  openPortal: {
    method: "POST",
    path: "/v1/billing/portal",
    access: "owner",
    asksOutside: true,
    summary: "Create a page at the payment provider with the owner's payment methods and invoices",
    ...hostedPage,
    example: { response: { url: "https://billing.stripe.com/p/session/example" } },
  },
} as const satisfies Record<string, Route>;

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
    free_credit: freeCreditSchema.optional().describe("Missing where nobody pays"),
    month: z
      .object({
        month: z.string().describe("The calendar month (UTC), e.g. `2026-11`"),
        list_price_usd: z
          .number()
          .describe(
            "List price of all calls of the month, including those that free credit paid: `settled_usd` and `estimated_usd`",
          ),
        settled_usd: z.number().describe("Of calls whose usage the model host told"),
        estimated_usd: z.number().describe("What is known of calls whose usage the model host never told"),
        unbilled_usd: z
          .number()
          .describe(
            "The part of `list_price_usd` that was called while the platform billed nobody, and that nobody pays",
          ),
        credit_usd: z
          .number()
          .describe("The part of `list_price_usd` that free credit paid, or will pay when an open hour is closed"),
        billed_usd: z
          .number()
          .describe(
            "The rest times `markup`: what invoices have of the month, before tax. An invoice's `usage_usd` is this sum of its month " +
              "and all before, cut to the micro-USD, less the `usage_usd` of all invoices before it",
          ),
        price_usd: z.number().describe("The list price less `unbilled_usd`, times `markup`"),
        markup: z
          .number()
          .describe("Factor from the list price to the platform's price. A month keeps it from its first report on"),
        complete: z
          .boolean()
          .describe("False if the open hours hold more calls than one answer reads. The figures are too low then"),
      })
      .meta({ id: "BilledMonth", description: "A month's figures" }),
    reported_usd: z
      .number()
      .describe(
        "At the platform's prices: what the payment provider was last told that the month comes to. The month's invoice bills as much, " +
          "but for tax, rounding to cents and what is still to come. 0 once the invoice is final.",
      ),
    unreported_usd: z
      .number()
      .describe(
        "At the platform's prices, without what free credit has paid: all that was used, less what final invoices billed and what the " +
          "payment provider was told for invoices to come, of all months together. The present hour is in it, and corrections. Below zero " +
          "if more was billed than was used: later usage is lessened by that.",
      ),
    has_payment_method: z.boolean().describe("Whether the owner has a payment method"),
    unpaid: z
      .object({
        limit_usd: z
          .number()
          .describe(
            "What the owner may have used and not paid. It grows with each paid invoice; in the owner's first week and month all that was used counts, paid or not",
          ),
        billed_from_usd: z
          .number()
          .describe(
            "From this much on usage is invoiced and charged within the hour, before the month's end; not while an invoice is open",
          ),
        used_usd: z
          .number()
          .describe(
            "What was used and is not paid, nor settled by people at the platform. A call that was cut counts what it may have cost until more is known",
          ),
        reserved_usd: z
          .number()
          .describe(
            "What the calls in flight may cost, and what callers hold for their next calls. A call that needs it has the latter at " +
              "once, and waits for the former",
          ),
      })
      .meta({
        id: "Unpaid",
        description: "Of all the owner's workspaces, at the platform's prices",
      })
      .optional()
      .describe("Missing without a limit: from the tier `pro` on, or where nobody is billed"),
    contact: billingContactSchema,
    payments: paymentStateSchema
      .omit({ balance: true })
      .extend({
        state: z
          .enum(paymentStates)
          .describe(
            "`off`: the platform bills nobody. `pending`: the owner is not a customer of the payment provider. `unavailable`: the " +
              "provider does not answer, and its figures are missing",
          ),
        balance_usd: paymentStateSchema.shape.balance
          .optional()
          .describe(
            "USD that the owner owes of amounts too small to be charged so far; below zero a credit. Missing unless `state` is `ready`",
          ),
      })
      .meta({ id: "Payments", description: "What the payment provider has" }),
  })
  .meta({ id: "Billing", description: "Free credit, a month, and what is owed" });

const month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, "must be a month such as 2026-11")
  .optional()
  .describe("The month (UTC), e.g. `2026-11`; by default the present one");

const back = fields({
  origin: z
    .string()
    .max(255, "must have at most 255 characters")
    .optional()
    .describe("The console's address to which the page leads back; by default the first one of the stack"),
});

const page = z
  .object({ url: z.url().describe("The address of the page, which may be opened once") })
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
    summary: "Free credit, a month's figures, what the payment provider has, what is open",
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
    summary: "The owner's invoices, of all workspaces, paid ones too, newest first",
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
    summary: "Who gets the mails about payments, and which order number invoices name",
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
    summary: "Opens the payment provider's page on which the owner adds a payment method",
    ...hostedPage,
    example: { response: { url: "https://checkout.stripe.com/c/pay/cs_example" } },
  },
  openPortal: {
    method: "POST",
    path: "/v1/billing/portal",
    access: "owner",
    asksOutside: true,
    summary: "Opens the payment provider's page with the owner's payment methods and invoices",
    ...hostedPage,
    example: { response: { url: "https://billing.stripe.com/p/session/example" } },
  },
} as const satisfies Record<string, Route>;

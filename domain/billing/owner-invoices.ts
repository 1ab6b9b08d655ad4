// An owner's invoices, as the control plane lists them: of all the owner's workspaces, paid ones too, newest first.
import * as z from "zod";
import type { Page, PageRequest } from "../kernel/page.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import { billedMonth } from "./billed-month.ts";
import { type ListedInvoice, PaymentError, type PaymentInvoice, type PaymentProvider } from "./payment-provider.ts";

const time = z.iso.datetime();

export const ownerInvoiceSchema = z
  .object({
    invoice_id: z.string().describe("Id of the invoice at the payment provider"),
    number: z.string().optional().describe("Invoice number, as printed on its page and PDF. Missing for a draft"),
    status: z
      .enum(["draft", "open", "paid", "uncollectible", "void"])
      .describe("State of the invoice. Usage is still added to a `draft`; an `open` invoice must be paid"),
    tenant_id: z
      .string()
      .optional()
      .describe("Id of the workspace whose usage the invoice bills. Missing for an invoice that was made by hand"),
    workspace: z.string().optional().describe("Name and address of the workspace, as printed on the invoice"),
    purchase_order: z.string().optional().describe("Order number that is printed on the invoice"),
    month: z
      .string()
      .describe(
        "The last month whose usage is on the invoice, e.g. `2026-11`. One month can have several invoices, because usage is billed early when half of the owner's unpaid limit is reached",
      ),
    usage_usd: z.number().describe("Sum of the usage on all lines, in USD with six decimals"),
    currency: z.string().describe("Currency of the invoice's amounts: `usd`"),
    subtotal: z.number().describe("Amount without tax, in USD with two decimals"),
    tax: z.number().describe("Amount of tax, in USD"),
    total: z.number().describe("Amount with tax: `subtotal` plus `tax`, in USD"),
    paid: z.number().describe("Amount that was paid, in USD"),
    due: z.number().describe("Amount that remains to be paid, in USD"),
    created_at: time.describe("When the invoice was created, as a draft"),
    finalized_at: time.optional().describe("When the invoice became final"),
    paid_at: time.optional().describe("When the invoice was paid"),
    finalizes_at: time.optional().describe("When the draft will become final"),
    next_attempt_at: time
      .optional()
      .describe("When the payment provider will next try to collect the invoice. Missing if no attempt is planned"),
    url: z.url().optional().describe("Address of the page on which the invoice can be paid"),
    pdf_url: z.url().optional().describe("Address of the invoice as a PDF"),
    receipt_url: z
      .url()
      .optional()
      .describe(
        "Address of the payment's receipt. An amount below 50 cents is not charged: it is added to the next invoice as a balance",
      ),
  })
  .meta({ id: "OwnerInvoice", description: "An invoice of the owner, for any of the owner's workspaces" });

export type OwnerInvoice = z.output<typeof ownerInvoiceSchema>;

/** @throws Refusal invalid_request for a page that does not exist */
export async function invoicePage(
  provider: Pick<PaymentProvider, "invoicePage">,
  customerId: string,
  page: PageRequest,
): Promise<Page<OwnerInvoice>> {
  const { invoices, hasMore } = await provider.invoicePage(customerId, page).catch((error: unknown) => {
    if (error instanceof PaymentError && error.param === "starting_after") {
      throw fieldRefusal("invalid_request", "cursor", "must be the next_cursor of an earlier page");
    }
    throw error;
  });
  return { items: invoices.map(shownInvoice), next: hasMore ? invoices.at(-1)?.id : undefined };
}

export function shownInvoice(invoice: PaymentInvoice & Partial<ListedInvoice>): OwnerInvoice {
  const { label, status } = invoice;
  const usd = (cents: number) => cents / 100;
  return {
    invoice_id: invoice.id,
    ...given("number", invoice.number),
    status,
    ...given("tenant_id", invoice.tenantId),
    ...given("workspace", label?.workspace),
    ...given("purchase_order", label?.purchaseOrder),
    month: billedMonth(invoice),
    usage_usd: invoice.quantity / 1_000_000,
    currency: invoice.currency,
    subtotal: usd(invoice.subtotalCents),
    tax: usd(invoice.totalCents - invoice.subtotalCents),
    total: usd(invoice.totalCents),
    paid: usd(invoice.paidCents),
    due: usd(invoice.dueCents),
    created_at: new Date(invoice.createdAt).toISOString(),
    ...given("finalized_at", iso(invoice.finalizedAt)),
    ...given("paid_at", iso(invoice.paidAt)),
    ...given("finalizes_at", status === "draft" ? iso(invoice.finalizesAt) : undefined),
    ...given("next_attempt_at", iso(invoice.nextAttemptAt)),
    ...given("url", invoice.url),
    ...given("pdf_url", invoice.pdfUrl),
    ...given("receipt_url", invoice.receiptUrl),
  };
}

export function given<N extends string, T>(name: N, value: T | undefined): Partial<Record<N, T>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<N, T>>);
}

function iso(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}

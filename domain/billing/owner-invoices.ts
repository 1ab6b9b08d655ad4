// An owner's invoices, as the control plane lists them: of all the owner's workspaces, paid ones too, newest first.
import * as z from "zod";
import type { Page, PageRequest } from "../kernel/page.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import { billedMonth } from "./billed-month.ts";
import { type ListedInvoice, PaymentError, type PaymentInvoice, type PaymentProvider } from "./payment-provider.ts";

const time = z.iso.datetime();

export const ownerInvoiceSchema = z
  .object({
    invoice_id: z.string().describe("Its id at the payment provider"),
    number: z.string().optional().describe("What its page and PDF are headed by; missing while it is a draft"),
    status: z
      .enum(["draft", "open", "paid", "uncollectible", "void"])
      .describe("A draft still takes usage; an open invoice is to be paid"),
    tenant_id: z
      .string()
      .optional()
      .describe("The workspace whose usage it bills; missing on an invoice that people made by hand"),
    workspace: z.string().optional().describe("The workspace's name and address, as the invoice names it"),
    purchase_order: z.string().optional().describe("The order number that it names"),
    month: z
      .string()
      .describe(
        "The last month whose usage is on it, e.g. `2026-11`; a month may have several invoices, since half of what may be unpaid is billed at once",
      ),
    usage_usd: z.number().describe("USD of usage in all lines, to the micro-USD"),
    currency: z.string().describe("Currency of its amounts, `usd`"),
    subtotal: z.number().describe("In whole cents, without tax"),
    tax: z.number().describe("The tax"),
    total: z.number().describe("`subtotal` and `tax`"),
    paid: z.number().describe("What is paid of it"),
    due: z.number().describe("What is still to be paid of it"),
    created_at: time.describe("When it was begun"),
    finalized_at: time.optional().describe("When it became final"),
    paid_at: time.optional().describe("When it was paid"),
    finalizes_at: time.optional().describe("When a draft becomes final"),
    next_attempt_at: time
      .optional()
      .describe("When the payment provider next tries to collect it; missing if it does not"),
    url: z.url().optional().describe("Page on which it can be paid"),
    pdf_url: z.url().optional().describe("The invoice as a PDF"),
    receipt_url: z
      .url()
      .optional()
      .describe(
        "The receipt of its payment. Nothing is charged for less than 50 cents, which the next invoice has as a balance",
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

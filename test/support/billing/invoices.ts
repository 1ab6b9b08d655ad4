// An invoice of the payment provider, as the product sees it.
import type { InvoiceLabel, PaymentInvoice } from "../../../domain/billing/payment-provider.ts";

/** Of the subscription `sub_1`: open, 3 USD, all of it due. */
export function anInvoice(changes: Partial<PaymentInvoice> = {}): PaymentInvoice {
  return {
    id: "in_1",
    number: undefined,
    label: undefined,
    subscriptionId: "sub_1",
    tenantId: "t1",
    status: "open",
    subtotalCents: 300,
    totalCents: 300,
    paidCents: 0,
    dueCents: 300,
    currency: "usd",
    quantity: 3_000_000,
    createdAt: 0,
    finalizesAt: undefined,
    nextAttemptAt: undefined,
    finalizedAt: undefined,
    paidAt: undefined,
    url: undefined,
    pdfUrl: undefined,
    creditedCents: 0,
    outsideCents: 0,
    isProcessing: false,
    ...changes,
  };
}

/** What invoices name where a test does not look at it. */
export const aLabel: InvoiceLabel = { workspace: "Acme (acme)", purchaseOrder: undefined };

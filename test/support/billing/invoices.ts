// An invoice of the payment provider, as the product sees it.
import type { PaymentInvoice } from "../../../domain/billing/payment-provider.ts";

/** Of the subscription `sub_1`: open, 3 USD, all of it due. */
export function anInvoice(changes: Partial<PaymentInvoice> = {}): PaymentInvoice {
  return {
    id: "in_1",
    subscriptionId: "sub_1",
    tenantId: "t1",
    status: "open",
    totalCents: 300,
    dueCents: 300,
    currency: "usd",
    quantity: 3_000_000,
    createdAt: 0,
    finalizesAt: undefined,
    nextAttemptAt: undefined,
    url: undefined,
    creditedCents: 0,
    ...changes,
  };
}

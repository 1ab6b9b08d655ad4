// The month that an invoice bills.
import { dayMs, monthOf } from "../kernel/period.ts";
import type { PaymentInvoice } from "./payment-provider.ts";

/** The last month whose usage an invoice may bill: an invoice of the first hours of a month bills the month before. */
export function billedMonth({ createdAt }: Pick<PaymentInvoice, "createdAt">): string {
  return monthOf(createdAt - dayMs);
}

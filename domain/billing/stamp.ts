// Where an hour's usage is stamped: inside the hour, the subscription, and a period whose invoice is not final.
import { hourMilliseconds, monthOf, nextMonth, startOfHour } from "../period.ts";
import type { PaymentInvoice, PaymentSubscription } from "./payment-provider.ts";

/** docs.stripe.com/api/v2/billing/meter-events/create, `timestamp`: within the past 35 days. An hour less, for the way there. */
const oldestMilliseconds = 35 * 24 * hourMilliseconds - hourMilliseconds;
/** What is reported this shortly before a draft is final may not be aggregated by then. */
const finalMarginMilliseconds = 20 * 60_000;

/** Of an hour that is over: its last second, which is in a subscription that began within the hour, too. */
export function stampOf(hour: string): number {
  return startOfHour(hour) + hourMilliseconds - 1_000;
}

/** Usage of so long ago is refused by the provider. */
export function isTooOld(hour: string, now: number): boolean {
  return now - stampOf(hour) > oldestMilliseconds;
}

/**
 * Whether usage stamped in the hour is billed no more: it lies before the subscription, or the invoice of its month is final
 * or about to be.
 * @param invoices of the customer, asked for only if the month is over
 */
export async function isPastBilling(
  hour: string,
  now: number,
  subscription: PaymentSubscription,
  invoices: () => Promise<PaymentInvoice[]>,
): Promise<boolean> {
  const at = stampOf(hour);
  if (at < subscription.startedAt) return true;
  if (monthOf(at) === monthOf(now)) return false;
  const [made, next] = [nextMonth(at), nextMonth(nextMonth(at))];
  const ofMonth = (await invoices()).filter(
    ({ subscriptionId, createdAt }) => subscriptionId === subscription.id && createdAt >= made && createdAt < next,
  );
  // A month's draft is its first invoice; one that is not made yet is still to come.
  const draft = ofMonth.toSorted((one, other) => one.createdAt - other.createdAt)[0];
  if (!draft) return false;
  if (draft.status !== "draft") return true;
  return draft.finalizesAt !== undefined && draft.finalizesAt - now < finalMarginMilliseconds;
}

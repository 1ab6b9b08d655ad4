// Where an hour's usage is stamped: inside the hour, the subscription, and a period whose invoice is not final.

import type { PaymentInvoice, PaymentSubscription } from "../billing/payment-provider.ts";
import { hourMs, monthOf, nextMonth, startOfHour } from "../kernel/period.ts";

/** docs.stripe.com/api/v2/billing/meter-events/create, `timestamp`: within the past 35 days. An hour less, for the way there. */
const oldestMs = 35 * 24 * hourMs - hourMs;
/**
 * What is reported shortly before a draft is final may not be aggregated by then: the summary would show it later, and no invoice
 * have it. The provider publishes no lag, so the margin is what costs little: a twelfth of the draft's time, six hours of 72.
 */
const leastMarginMs = 20 * 60_000;
const marginsOfDraft = 12;

/** Of an hour that is over: its last second, which is in a subscription that began within the hour, too. */
export function stampOf(hour: string): number {
  return startOfHour(hour) + hourMs - 1_000;
}

/** Usage of so long ago is refused by the provider. */
export function isTooOld(hour: string, now: number): boolean {
  return now - stampOf(hour) > oldestMs;
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
  const { createdAt, finalizesAt } = draft;
  if (finalizesAt === undefined) return false;
  return finalizesAt - now < Math.max(leastMarginMs, (finalizesAt - createdAt) / marginsOfDraft);
}

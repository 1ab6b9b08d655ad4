// The time of an hour's event: inside the hour and the subscription, and in a billing period whose invoice is not final.

import type { PaymentInvoice, PaymentSubscription } from "../billing/payment-provider.ts";
import { hourMs, monthOf, nextMonth, startOfHour } from "../kernel/period.ts";

/** docs.stripe.com/api/v2/billing/meter-events/create, `timestamp`: within the past 35 days. An hour less leaves time for the call itself. */
const oldestMs = 35 * 24 * hourMs - hourMs;
/**
 * Usage that is reported shortly before an invoice becomes final may be aggregated only after that; no invoice would contain it. The
 * provider publishes no delay, so nothing is reported in the last twelfth of a draft's time: six hours of 72.
 */
const leastMarginMs = 20 * 60_000;
const marginsOfDraft = 12;

/** The last second of an hour, so that it lies in a subscription that began within the hour, too. */
export function eventTimeOf(hour: string): number {
  return startOfHour(hour) + hourMs - 1_000;
}

/** Whether the hour is so long ago that the provider refuses its usage. */
export function isTooOld(hour: string, now: number): boolean {
  return now - eventTimeOf(hour) > oldestMs;
}

/**
 * Whether an event of the hour would not be billed: the hour lies before the subscription, or the invoice of its month is final or
 * about to be.
 * @param invoices reads the customer's invoices, called only if the month is over
 */
export async function isPastBilling(
  hour: string,
  now: number,
  subscription: PaymentSubscription,
  invoices: () => Promise<PaymentInvoice[]>,
): Promise<boolean> {
  const at = eventTimeOf(hour);
  if (at < subscription.startedAt) return true;
  if (monthOf(at) === monthOf(now)) return false;
  const [made, next] = [nextMonth(at), nextMonth(nextMonth(at))];
  const ofMonth = (await invoices()).filter(
    ({ subscriptionId, createdAt }) => subscriptionId === subscription.id && createdAt >= made && createdAt < next,
  );
  // The first invoice that is created after the month bills the month. It may not exist yet.
  const draft = ofMonth.toSorted((one, other) => one.createdAt - other.createdAt)[0];
  if (!draft) return false;
  if (draft.status !== "draft") return true;
  const { createdAt, finalizesAt } = draft;
  if (finalizesAt === undefined) return false;
  return finalizesAt - now < Math.max(leastMarginMs, (finalizesAt - createdAt) / marginsOfDraft);
}

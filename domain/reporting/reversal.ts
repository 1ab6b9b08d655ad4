// Reversals: an event below zero takes back what was billed too much, in a billing period that has at least as much usage. Stripe
// counts a period below zero as nothing (docs.stripe.com/billing/subscriptions/usage-based/meters/configure).
import type { Payer } from "../billing/payer.ts";
import type { MicroUsd, PaymentProvider, PaymentSubscription } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { hourOf, monthOf, startOfHour, startOfMonth } from "../kernel/period.ts";
import { billed, costWithin } from "./quantity.ts";
import type { Balance } from "./usage-outbox.ts";

const minuteMs = 60_000;

/**
 * The most, at list price, that an event may take back of the present period, as the payment provider's summary shows it. Ask only
 * while no other event of the tenant is on its way: the summary would not show that one yet.
 * @param carried what the same event bills besides
 */
export async function maxReversal(
  { payments, markup, now }: { payments: Pick<PaymentProvider, "aggregatedBetween">; markup: number; now: number },
  { payer, subscription, carried }: { payer: Payer; subscription: PaymentSubscription; carried: MicroUsd },
): Promise<NanoUsd> {
  const { customerId, slot } = payer;
  const from = Math.max(startOfMonth(monthOf(now)), startOfHour(hourOf(subscription.startedAt)));
  const until = now - (now % minuteMs);
  const shown = until > from ? await payments.aggregatedBetween({ customerId, slot, from, until }) : 0;
  return costWithin(Math.max(0, shown + carried), markup);
}

/**
 * Merges an hour's own quantity with the tenant's balance: `value` is what the event bills, `carried` the balance after it. A
 * balance below zero only lowers the hour's usage; a quantity below zero was checked against `maxReversal` before.
 */
export function mergeBalance(own: MicroUsd, carried: MicroUsd): { value: MicroUsd; carried: MicroUsd } {
  const all = own + carried;
  const value = carried < 0 ? Math.max(all, Math.min(own, 0)) : all;
  return { value, carried: all - value };
}

/** The balance that no event of the tenant has billed or reversed yet. */
export type OpenBalance = {
  balance: Balance;
  /** Sum of the adjustments that no report has taken, at list price. */
  difference: NanoUsd;
};

/** The amount that the owner has paid too much, in micro-USD; 0 if none. */
export function overpaid({ balance, difference }: OpenBalance, markup: number): MicroUsd {
  return Math.max(0, -(balance.carried + billed(difference, markup, balance.fraction).quantity));
}

// What was billed too much: an event below zero takes it back, in the period in which the provider still has as much. A period
// below zero would count as nothing (docs.stripe.com/billing/subscriptions/usage-based/meters/configure).

import type { Payer } from "../billing/payer.ts";
import type { MicroUsd, PaymentProvider, PaymentSubscription } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { hourOf, monthOf, startOfHour, startOfMonth } from "../kernel/period.ts";
import { billed, costWithin } from "./quantity.ts";
import type { Remainder } from "./usage-outbox.ts";

const minuteMs = 60_000;

/**
 * How much, at list price, may be taken back of what the present period has, as the provider shows it. Only while nothing else
 * of the tenant is on its way: another event below zero would not show yet.
 * @param carried what the same event bills besides
 */
export async function mostTakenBack(
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
 * What an hour's event says of its own quantity and of what is carried, and what is carried on. What is carried below zero only
 * lessens usage; a quantity that is below zero itself was found to be covered.
 */
export function withCarried(own: MicroUsd, carried: MicroUsd): { value: MicroUsd; carried: MicroUsd } {
  const all = own + carried;
  const value = carried < 0 ? Math.max(all, Math.min(own, 0)) : all;
  return { value, carried: all - value };
}

/** What no event could take back, of a workspace that has no later usage: whoever is paid too much is owed as much. */
export type Kept = {
  remainder: Remainder;
  /** Of corrections that no report has taken, at list price. */
  difference: NanoUsd;
};

/** In micro-USD; 0 if nothing was paid too much. */
export function overpaid({ remainder, difference }: Kept, markup: number): MicroUsd {
  return Math.max(0, -(remainder.carried + billed(difference, markup, remainder.left).quantity));
}

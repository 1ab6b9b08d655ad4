// The usage of a customer: values that a meter was told. Of a billing period the last one counts.
import type { Account } from "../account.ts";
import type { Meter } from "../objects.ts";

/** `value` in millionths of a unit; `timestamp` is the time of the usage, `received` the time at which Stripe took it, in seconds. */
type UsageEvent = { value: number; timestamp: number; received: number };

const hourSeconds = 3_600;

export function recordUsage(account: Account, meter: Meter, customer: string, event: UsageEvent): void {
  const days = daysOf(account, meter, customer);
  const day = dayOf(event.timestamp);
  days.put(day, { day, events: [...(days.get(day)?.events ?? []), event] });
}

type Period = { start: number; end: number };

/**
 * The value that counts of the period from `start` to before `end` (docs.stripe.com/billing/subscriptions/usage-based/meters/configure,
 * "Last").
 * @param until later events are not in it
 */
export function usageOf(
  account: Account,
  meter: Meter,
  customer: string,
  { start, end }: Period,
  until: number,
): number {
  const { usage_lag_seconds, first_hour_counts, last_value_by } = account.settings;
  const from = first_hour_counts ? start : Math.ceil(start / hourSeconds) * hourSeconds;
  const visible = Math.min(account.now() - usage_lag_seconds, until);
  const counting = daysOf(account, meter, customer)
    .all()
    .flatMap(({ events }) => events)
    .filter(({ timestamp, received }) => timestamp >= from && timestamp < end && received <= visible);
  // An equal time does not decide: the one that was received later does.
  const inOrder = counting.toSorted((one, other) => one.received - other.received);
  if (last_value_by === "timestamp") inOrder.sort((one, other) => one.timestamp - other.timestamp);
  return inOrder.at(-1)?.value ?? 0;
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

function daysOf({ store }: Account, meter: Meter, customer: string) {
  return store.collection<{ day: string; events: UsageEvent[] }>(`stripe-last ${meter.id} ${customer}`);
}

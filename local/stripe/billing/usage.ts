// The usage of a customer: the meter events by hour, and their aggregation by the meter.
import type { Account } from "../account.ts";
import type { Meter } from "../objects.ts";

/** `timestamp` is the time of the usage, `received` the time at which Stripe took the event, both in seconds. */
type UsageEvent = { value: number; timestamp: number; received: number };
type Hour = { start: number; events: UsageEvent[] };

export const hourSeconds = 3_600;

export function recordUsage(account: Account, meter: Meter, customer: string, event: UsageEvent): void {
  const hours = hoursOf(account, meter, customer);
  const start = event.timestamp - (event.timestamp % hourSeconds);
  const kept = hours.get(String(start))?.events ?? [];
  hours.put(String(start), { start, events: [...kept, event] });
}

/** The usage from `start` to before `end` that is aggregated by now, by hour. */
export function usageByHour(
  account: Account,
  meter: Meter,
  customer: string,
  start: number,
  end: number,
): { start: number; value: number }[] {
  const visible = account.now() - account.settings.usage_lag_seconds;
  return hoursOf(account, meter, customer)
    .all()
    .filter((hour) => hour.start + hourSeconds > start && hour.start < end)
    .toSorted((a, b) => a.start - b.start)
    .flatMap((hour) => {
      const received = hour.events.filter((event) => event.received <= visible);
      const counting = countingEvents(meter, received).filter(({ timestamp }) => timestamp >= start && timestamp < end);
      return counting.length === 0 ? [] : [{ start: hour.start, value: aggregate(meter, counting) }];
    });
}

export function usageBetween(account: Account, meter: Meter, customer: string, start: number, end: number): number {
  const hours = usageByHour(account, meter, customer, start, end);
  if (meter.default_aggregation.formula === "last") return hours.at(-1)?.value ?? 0;
  return hours.reduce((sum, { value }) => sum + value, 0);
}

/** A meter with an hourly window keeps the last event received of an hour (docs.stripe.com/billing/subscriptions/usage-based/meters/configure). */
function countingEvents(meter: Meter, received: UsageEvent[]): UsageEvent[] {
  return meter.event_time_window === "hour" ? received.slice(-1) : received;
}

function aggregate({ default_aggregation: { formula } }: Meter, events: UsageEvent[]): number {
  if (formula === "last") return events.toSorted((a, b) => a.timestamp - b.timestamp).at(-1)?.value ?? 0;
  return events.reduce((sum, { value }) => sum + value, 0);
}

function hoursOf({ store }: Account, meter: Meter, customer: string) {
  return store.collection<Hour>(`stripe-usage ${meter.id} ${customer}`);
}

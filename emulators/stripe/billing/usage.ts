// The usage of a customer: values that `/v2/billing/meter_events` told a meter. Of a billing period the last one counts. An event is refused
// at once, or a later thin event tells that it does not count.
import * as z from "zod";
import type { Account } from "../account.ts";
import { activeMeter } from "../catalog.ts";
import { endpoint } from "../endpoint.ts";
import { type Meter, newId } from "../objects.ts";
import { invalidParameter } from "../refusal.ts";

/** docs.stripe.com/api/v2/billing/meter-events/create, `timestamp`. */
const oldestSeconds = 35 * 86_400;
const aheadSeconds = 300;
const hourSeconds = 3_600;

/** `value` in millionths of a unit; `timestamp` is the time of the usage, `received` the time at which Stripe took it, in seconds. */
type UsageEvent = { value: number; timestamp: number; received: number };

const event = z.strictObject({
  event_name: z.string().min(1).max(100),
  payload: z.record(z.string(), z.string()),
  timestamp: z.iso.datetime({ offset: true }).optional(),
});

export const meterEvents = [
  endpoint(["POST", "/v2/billing/meter_events"], "v2.billing.meterEvents.create", event, (given, { account }) => {
    const { event_name, payload } = given;
    const timestamp = given.timestamp ? Math.floor(Date.parse(given.timestamp) / 1000) : account.now();
    checkTime(account, timestamp);
    const meter = activeMeter(account, event_name);
    const value = millionths(payload[meter?.value_settings.event_payload_key ?? "value"]);
    const customer = account.customers.get(payload[meter?.customer_mapping.event_payload_key ?? ""] ?? "");
    // Without its meter or customer the event counts for nobody.
    if (!meter) account.emit("billing.meter.no_meter_found", null);
    else if (!customer || customer.deleted) account.emit("billing.meter.error_report_triggered", meter);
    else record(account, meter, customer.id, { value, timestamp, received: account.now() });
    const made = { object: "v2.billing.meter_event", identifier: newId("meter_event") };
    return { ...made, event_name, payload, timestamp: new Date(timestamp * 1000).toISOString() };
  }),
];

function checkTime(account: Account, timestamp: number): void {
  const age = account.now() - timestamp;
  if (age > oldestSeconds) {
    const message = "The timestamp must be within the past 35 calendar days.";
    throw invalidParameter("timestamp_too_far_in_past", message, "timestamp");
  }
  if (age < -aheadSeconds) {
    const message = "The timestamp must be at most 5 minutes in the future.";
    throw invalidParameter("timestamp_in_future", message, "timestamp");
  }
}

/** Decimals of at most 15 digits (docs.stripe.com/changelog/dahlia/2026-04-22). The local stack keeps six decimals. */
function millionths(value = ""): number {
  if (/^\d{1,9}(\.\d{1,6})?$/.test(value)) return Math.round(Number(value) * 1e6);
  const message = "The value must be a decimal of at most 15 digits, six of them after the point.";
  throw invalidParameter("meter_event_invalid_value", message, "payload");
}

function record(account: Account, meter: Meter, customer: string, told: UsageEvent): void {
  const days = daysOf(account, meter, customer);
  const day = new Date(told.timestamp * 1000).toISOString().slice(0, 10);
  days.put(day, [...(days.get(day) ?? []), told]);
}

/**
 * The value that counts of the period from `start` to before `end` (docs.stripe.com/billing/subscriptions/usage-based/meters/configure,
 * "Last").
 * @param until later events are not in it
 */
export function usageOf(
  account: Account,
  meter: Meter,
  customer: string,
  { start, end }: { start: number; end: number },
  until: number,
): number {
  const { usage_lag_seconds, first_hour_counts, last_value_by } = account.settings;
  const from = first_hour_counts ? start : Math.ceil(start / hourSeconds) * hourSeconds;
  const visible = Math.min(account.now() - usage_lag_seconds, until);
  const counting = daysOf(account, meter, customer)
    .all()
    .flat()
    .filter(({ timestamp, received }) => timestamp >= from && timestamp < end && received <= visible);
  // An equal time does not decide: the one that was received later does.
  const inOrder = counting.toSorted((one, other) => one.received - other.received);
  if (last_value_by === "timestamp") inOrder.sort((one, other) => one.timestamp - other.timestamp);
  return inOrder.at(-1)?.value ?? 0;
}

/** A customer's events of a meter, day by day, so that a month of events is not written anew with each. */
function daysOf({ store }: Account, meter: Meter, customer: string) {
  return store.collection<UsageEvent[]>(`stripe-last ${meter.id} ${customer}`);
}

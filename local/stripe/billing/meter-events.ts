// `/v2/billing/meter_events` takes usage. An event is refused at once, or a later thin event tells that it does not count.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint } from "../endpoint.ts";
import { newId } from "../ids.ts";
import type { Meter } from "../objects.ts";
import { invalidParameter } from "../refusal.ts";
import { activeMeter } from "./meters.ts";
import { recordUsage } from "./usage.ts";

/** docs.stripe.com/api/v2/billing/meter-events/create, `timestamp`. */
const oldestSeconds = 35 * 86_400;
const aheadSeconds = 300;

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
    take(account, meter, payload[meter?.customer_mapping.event_payload_key ?? ""], { timestamp, value });
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
    const times = { created: iso(account.now()), timestamp: iso(timestamp) };
    const identifier = newId("meter_event");
    return { object: "v2.billing.meter_event", event_name, identifier, livemode: false, payload, ...times };
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

/** Records an accepted event. Without its meter or customer it counts for nobody, and a thin event tells so. */
function take(
  account: Account,
  meter: Meter | undefined,
  customer: string | undefined,
  given: { timestamp: number; value: number },
): void {
  const kept = customer === undefined ? undefined : account.customers.get(customer);
  if (meter && customer !== undefined && kept && !kept.deleted) {
    recordUsage(account, meter, customer, { ...given, received: account.now() });
  } else if (meter) {
    account.emit("billing.meter.error_report_triggered", meter);
  } else {
    account.emit("billing.meter.no_meter_found", null);
  }
}

// `/v2/billing/meter_events` takes usage, and v1 summaries show the aggregated usage. An event is refused at once, or a later thin event tells
// that it does not count.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint } from "../endpoint.ts";
import { newId } from "../ids.ts";
import { listOf } from "../lists.ts";
import type { Meter } from "../objects.ts";
import { int, page } from "../parameters.ts";
import { invalidParameter, invalidRequest } from "../refusal.ts";
import { activeMeter, meterOf } from "./meters.ts";
import { hourSeconds, recordUsage, usageBetween, usageByHour } from "./usage.ts";

const daySeconds = 86_400;
const windowSeconds = { hour: hourSeconds, day: daySeconds };
/** docs.stripe.com/api/v2/billing/meter-events/create, `timestamp` and `identifier`. */
const oldestDays = 35;
const aheadSeconds = 300;
const identifierSeconds = daySeconds;

const event = z.strictObject({
  event_name: z.string().min(1).max(100),
  payload: z.record(z.string(), z.string()),
  identifier: z.string().min(1).max(100).optional(),
  timestamp: z.iso.datetime({ offset: true }).optional(),
});

const summaries = z.strictObject({
  ...page,
  customer: z.string(),
  start_time: int,
  end_time: int,
  value_grouping_window: z.enum(["hour", "day"]).optional(),
});

export const meterEvents = [
  {
    // One call at a time for a customer and meter (docs.stripe.com/rate-limits, meter events).
    exclusive: (input: unknown) => {
      const { event_name, payload } = (input ?? {}) as { event_name?: string; payload?: Record<string, string> };
      return `meter event ${event_name} ${payload?.stripe_customer_id}`;
    },
    ...endpoint(["POST", "/v2/billing/meter_events"], "v2.billing.meterEvents.create", event, (given, { account }) => {
      const timestamp = given.timestamp ? Math.floor(Date.parse(given.timestamp) / 1000) : account.now();
      const identifier = given.identifier ?? newId("meter_event");
      checkTime(account, timestamp);
      const meter = activeMeter(account, given.event_name);
      const value = given.payload[meter?.value_settings.event_payload_key ?? "value"];
      checkValue(value);
      takeIdentifier(account, identifier);
      take(account, meter, { ...given, identifier, timestamp, value: Number(value) });
      const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
      return {
        object: "v2.billing.meter_event",
        created: iso(account.now()),
        event_name: given.event_name,
        identifier,
        livemode: false,
        payload: given.payload,
        timestamp: iso(timestamp),
      };
    }),
  },
  endpoint(
    ["GET", "/v1/billing/meters/:id/event_summaries"],
    "billing.meters.listEventSummaries",
    summaries,
    ({ customer, start_time, end_time, value_grouping_window, ...page }, { account, path }) => {
      const meter = meterOf(account, path.id);
      account.customer(customer, "customer", 400);
      checkBounds(start_time, end_time, value_grouping_window);
      const windows = value_grouping_window
        ? grouped(account, meter, customer, start_time, end_time, windowSeconds[value_grouping_window])
        : [{ start: start_time, end: end_time, value: usageBetween(account, meter, customer, start_time, end_time) }];
      const data = windows.map(({ start, end, value }) => ({
        id: `mtrusg_test_${meter.id.slice(-8)}_${start}`,
        object: "billing.meter_event_summary",
        aggregated_value: value,
        end_time: end,
        livemode: false,
        meter: meter.id,
        start_time: start,
      }));
      return listOf(`/v1/billing/meters/${meter.id}/event_summaries`, data, page);
    },
  ),
];

function checkTime(account: Account, timestamp: number): void {
  const now = account.now();
  if (timestamp < now - oldestDays * daySeconds) {
    throw invalidParameter(
      "timestamp_too_far_in_past",
      "The timestamp must be within the past 35 calendar days.",
      "timestamp",
    );
  }
  if (timestamp > now + aheadSeconds) {
    throw invalidParameter(
      "timestamp_in_future",
      "The timestamp must be at most 5 minutes in the future.",
      "timestamp",
    );
  }
}

/** Whole numbers of at most 15 digits (docs.stripe.com/changelog/dahlia/2026-04-22). */
function checkValue(value: string | undefined): void {
  if (value !== undefined && /^-?\d{1,15}$/.test(value)) return;
  throw invalidParameter(
    "meter_event_invalid_value",
    "The value must be a whole number of at most 15 digits.",
    "payload",
  );
}

/** The message is taken from public tests (github.com/langfuse/langfuse/pull/16292). */
function takeIdentifier(account: Account, identifier: string): void {
  const taken = account.store.collection<{ at: number }>("stripe-meter-identifier");
  const known = taken.get(identifier);
  if (known && account.now() < known.at + identifierSeconds) {
    throw invalidRequest(`An event already exists with identifier ${identifier}.`);
  }
  taken.put(identifier, { at: account.now() });
}

type Taken = Pick<z.output<typeof event>, "event_name" | "payload"> & {
  identifier: string;
  timestamp: number;
  value: number;
};

/** Records an accepted event. Without its meter or customer it counts for nobody, and a thin event tells so with one of these codes. */
function take(account: Account, meter: Meter | undefined, given: Taken): void {
  const customer = given.payload[meter?.customer_mapping.event_payload_key ?? ""];
  const kept = customer === undefined ? undefined : account.customers.get(customer);
  if (meter && customer !== undefined && kept && !kept.deleted) {
    recordUsage(account, meter, customer, { value: given.value, timestamp: given.timestamp, received: account.now() });
  } else if (meter) {
    const code = customer ? "meter_event_customer_not_found" : "meter_event_no_customer_defined";
    report(account, meter, code, given.identifier);
  } else {
    report(account, undefined, "no_meter", given.identifier);
  }
}

/** Emits the error report, in the shape of V1BillingMeterErrorReportTriggeredEvent of the SDK. */
function report(account: Account, meter: Meter | undefined, code: string, identifier: string): void {
  const now = new Date(account.now() * 1000).toISOString();
  const sample = { error_message: `The event was not counted: ${code}`, request: { identifier } };
  const data = {
    developer_message_summary: "There is 1 invalid event",
    reason: { error_count: 1, error_types: [{ code, error_count: 1, sample_errors: [sample] }] },
    validation_start: now,
    validation_end: now,
  };
  const type = meter ? "billing.meter.error_report_triggered" : "billing.meter.no_meter_found";
  account.emit(type, meter ?? null, { data });
}

/** Bounds are whole minutes, or bounds of the window in UTC (docs.stripe.com/api/billing/meter-event-summary/list). */
function checkBounds(start: number, end: number, window: "hour" | "day" | undefined): void {
  const unit = window ? windowSeconds[window] : 60;
  for (const [name, value] of Object.entries({ start_time: start, end_time: end })) {
    if (value % unit !== 0) throw invalidParameter("parameter_invalid", `${name} must be aligned to its window.`, name);
  }
  if (end <= start) throw invalidParameter("parameter_invalid", "end_time must be after start_time.", "end_time");
}

function grouped(account: Account, meter: Meter, customer: string, start: number, end: number, unit: number) {
  const windows = new Map<number, { start: number; end: number; value: number }>();
  for (const hour of usageByHour(account, meter, customer, start, end)) {
    const first = hour.start - (hour.start % unit);
    const window = windows.get(first) ?? { start: first, end: first + unit, value: 0 };
    windows.set(first, { ...window, value: window.value + hour.value });
  }
  return [...windows.values()];
}

// Billing meters. An event name belongs to one active meter.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint } from "../endpoint.ts";
import { newId } from "../ids.ts";
import { listOf } from "../lists.ts";
import type { Meter } from "../objects.ts";
import { page } from "../parameters.ts";
import { invalidRequest } from "../refusal.ts";

const create = z.strictObject({
  display_name: z.string().min(1).max(250),
  event_name: z.string().min(1).max(100),
  // The local stack counts usage of a meter that keeps the last value only.
  default_aggregation: z.strictObject({ formula: z.enum(["sum", "last"]) }),
  customer_mapping: z
    .strictObject({ type: z.literal("by_id"), event_payload_key: z.string().max(100) })
    .default({ type: "by_id", event_payload_key: "stripe_customer_id" }),
  value_settings: z.strictObject({ event_payload_key: z.string().max(100) }).default({ event_payload_key: "value" }),
});

export const meters = [
  endpoint(["POST", "/v1/billing/meters"], "billing.meters.create", create, (given, { account }) => {
    if (activeMeter(account, given.event_name)) {
      // The refusal is documented, its message is not (docs.stripe.com/api/billing/meter/create).
      throw invalidRequest(`A meter with event_name ${given.event_name} already exists.`, { param: "event_name" });
    }
    const meter = newMeter(account, given);
    account.meters.put(meter.id, meter);
    account.emit("billing.meter.created", meter);
    return meter;
  }),
  endpoint(
    ["GET", "/v1/billing/meters"],
    "billing.meters.list",
    z.strictObject({ ...page, status: z.enum(["active", "inactive"]).optional() }),
    ({ status, ...page }, { account }) => {
      const found = account.meters.all().filter((one) => status === undefined || one.status === status);
      return listOf("/v1/billing/meters", found, page);
    },
  ),
];

export function activeMeter(account: Account, eventName: string): Meter | undefined {
  return account.meters.all().find(({ event_name, status }) => event_name === eventName && status === "active");
}

function newMeter(account: Account, given: z.output<typeof create>): Meter {
  return {
    id: newId("mtr_test"),
    object: "billing.meter",
    created: account.now(),
    customer_mapping: given.customer_mapping,
    default_aggregation: given.default_aggregation,
    display_name: given.display_name,
    event_name: given.event_name,
    event_time_window: null,
    livemode: false,
    status: "active",
    status_transitions: { deactivated_at: null },
    updated: account.now(),
    value_settings: given.value_settings,
  } satisfies Meter;
}

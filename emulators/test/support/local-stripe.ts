// A local Stripe on a port of its own, the SDK on it, and a clock to move.
import http from "node:http";
import type { AddressInfo } from "node:net";
import StripeSdk from "stripe";
import { Calls } from "../../aws/calls.ts";
import { type FaultInput, Faults } from "../../aws/faults.ts";
import { Clock } from "../../clock.ts";
import { Store } from "../../store.ts";
import { Stripe } from "../../stripe/stripe.ts";

export type RunningStripe = {
  url: string;
  stripe: Stripe;
  sdk: StripeSdk;
  clock: Clock;
  calls: Calls;
  fail(...faults: FaultInput[]): void;
  /** Moves the clock to a time, e.g. `2026-12-01T00:00Z`. */
  until(time: string): void;
  close(): Promise<void>;
};

/** @param start the time at which it begins, not before the machine's own */
export async function startStripe(
  start = "2027-01-10T12:00:00Z",
  store = new Store(":memory:"),
): Promise<RunningStripe> {
  const clock = new Clock();
  const until = (time: string) => clock.advance(Math.ceil(Date.parse(time) - clock.now()));
  until(start);
  const [calls, faults] = [new Calls(), new Faults()];
  let url = "";
  const reach = ({ hostname, port }: URL) => ({ hostname, port });
  const stripe = new Stripe({ store, clock, calls, faults, reach, pagesUrl: () => url });
  const server = http.createServer((request, response) => void stripe.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const sdk = new StripeSdk("sk_test_local", {
    host: "127.0.0.1",
    port,
    protocol: "http",
    telemetry: false,
    maxNetworkRetries: 0,
  });
  const close = async () => {
    faults.clear();
    await stripe.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    store.close();
  };
  return { url, stripe, sdk, clock, calls, fail: (...list) => faults.put(list), until, close };
}

/** A meter that keeps the last value, and its price of a USD a unit, or of another currency. */
export async function aMeteredPrice(sdk: StripeSdk, slot = 1, currency = "usd") {
  const product = await sdk.products.create({ name: "Usage" });
  const meter = await sdk.billing.meters.create({
    display_name: `Usage ${slot}`,
    event_name: `usage_${currency}_${slot}`,
    default_aggregation: { formula: "last" },
  });
  const price = await sdk.prices.create({
    currency,
    product: product.id,
    recurring: { interval: "month", usage_type: "metered", meter: meter.id },
    unit_amount_decimal: StripeSdk.Decimal.from("100"),
    lookup_key: `usage_${currency}_${slot}`,
  });
  return { product, meter, price };
}

/** A customer with a subscription on the price, whose periods begin on the first of a month. */
export async function aSubscription(sdk: StripeSdk, price: string, customer?: string, more: object = {}) {
  const id = customer ?? (await sdk.customers.create({ email: "owner@acme.example" })).id;
  const subscription = await sdk.subscriptions.create({
    customer: id,
    items: [{ price }],
    billing_mode: { type: "flexible" },
    billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
    ...more,
  });
  return { customer: id, subscription };
}

/** What a customer's month comes to so far, in USD. */
export function report(sdk: StripeSdk, customer: string, timestamp: string, value: number | string) {
  return sdk.v2.billing.meterEvents.create({
    event_name: "usage_usd_1",
    payload: { stripe_customer_id: customer, value: String(value) },
    timestamp: new Date(timestamp).toISOString(),
  });
}

import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { aMeteredPrice, aSubscription, type RunningStripe, report, startStripe } from "../support/local-stripe.ts";

type Received = { body: string; signature: string };

let local: RunningStripe;
let receiver: http.Server;
let received: Received[];
/** What the receiver answers, first to last; then 200. */
let statuses: number[];
let secret: string;
beforeEach(async () => {
  local = await startStripe("2027-01-10T12:00:00Z");
  [received, statuses] = [[], []];
  receiver = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    received.push({ body: Buffer.concat(chunks).toString(), signature: String(request.headers["stripe-signature"]) });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  const destination = await local.sdk.v2.core.eventDestinations.create({
    name: "Archway",
    type: "webhook_endpoint",
    event_payload: "thin",
    enabled_events: [
      "v1.customer.created",
      "v1.customer.updated",
      "v1.payment_method.detached",
      "v1.billing.meter.no_meter_found",
      "v1.billing.meter.error_report_triggered",
    ],
    webhook_endpoint: { url: `http://127.0.0.1:${port}/v1/webhooks/stripe` },
    include: ["webhook_endpoint.signing_secret"],
  });
  secret = destination.webhook_endpoint?.signing_secret ?? "";
});
afterEach(async () => {
  await local.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

/** The types that arrived, each with a signature that counts at the local time. */
function types(): string[] {
  return received.map(({ body, signature }) => {
    const now = Math.floor(local.clock.now() / 1000);
    return local.sdk.parseEventNotification(body, signature, secret, 300, undefined, now * 1000).type;
  });
}

test("an event that a destination subscribes to is delivered thin and signed, and is then fetched with its object", async () => {
  const { id } = await local.sdk.customers.create({ name: "Acme" });
  await local.stripe.idle();
  expect(types()).toEqual(["v1.customer.created"]);
  const [{ body = "", signature = "" } = {}] = received;
  const notification = local.sdk.parseEventNotification(body, signature, secret, 300, undefined, local.clock.now());
  expect(JSON.parse(body)).not.toHaveProperty("data");
  if (notification.type !== "v1.customer.created") throw new Error("another type");
  expect(await notification.fetchRelatedObject()).toMatchObject({ id, name: "Acme" });
  expect(await notification.fetchEvent()).toMatchObject({ type: "v1.customer.created", related_object: { id } });
  expect(() => local.sdk.webhooks.constructEvent(body, signature, secret)).toThrow();
});

test("a forged signature is refused, and so is one that is five minutes old", async () => {
  await local.sdk.customers.create({});
  await local.stripe.idle();
  const [{ body = "", signature = "" } = {}] = received;
  const now = local.clock.now();
  const parse = (text: string, at: number) =>
    local.sdk.parseEventNotification(text, signature, secret, 300, undefined, at);
  expect(() => parse(body.replace("customer", "costumer"), now)).toThrow("signature");
  expect(() => parse(body, now + 301_000)).toThrow("tolerance");
});

test("an event without a subscribed destination is not delivered", async () => {
  await aMeteredPrice(local.sdk);
  await local.stripe.idle();
  expect(received).toEqual([]);
});

describe("a destination that fails", () => {
  test("a webhook destination that fails is called again at growing intervals, until it accepts the event", async () => {
    statuses = [500, 302, 200];
    await local.sdk.customers.create({});
    await local.stripe.idle();
    expect(received).toHaveLength(1);
    local.clock.advance(61_000);
    await local.stripe.idle();
    local.clock.advance(61_000);
    await local.stripe.idle();
    expect(received).toHaveLength(2);
    local.clock.advance(300_000);
    await local.stripe.idle();
    expect(received).toHaveLength(3);
    expect(local.stripe.deliveries).toEqual([]);
  });

  test("deliveries to a webhook destination that fails end after three days", async () => {
    statuses = Array.from({ length: 50 }, () => 500);
    await local.sdk.customers.create({});
    for (let hour = 0; hour < 84 && local.stripe.deliveries.length > 0; hour += 6) {
      local.clock.advance(6 * 3_600_000);
      await local.stripe.idle();
    }
    expect(local.stripe.deliveries).toEqual([]);
  });
});

describe("on demand", () => {
  test("events of Stripe can arrive twice and in reverse order", async () => {
    local.stripe.configure({ webhook_copies: 2, webhook_order: "reversed", webhooks_held: true });
    const { id } = await local.sdk.customers.create({});
    await local.sdk.customers.update(id, { name: "Acme" });
    await local.stripe.idle();
    local.stripe.configure({ webhooks_held: false });
    await local.stripe.idle();
    expect(types()).toEqual([
      "v1.customer.updated",
      "v1.customer.updated",
      "v1.customer.created",
      "v1.customer.created",
    ]);
    expect(new Set(received.map(({ body }) => JSON.parse(body).id)).size).toBe(2);
  });

  test("events of Stripe can be held back and released", async () => {
    local.stripe.configure({ webhooks_held: true });
    await local.sdk.customers.create({});
    await local.stripe.idle();
    expect(received).toEqual([]);
    local.stripe.configure({ webhooks_held: false });
    await local.stripe.idle();
    expect(received).toHaveLength(1);
  });
});

describe("the secret", () => {
  test("a webhook destination's secret is shown once, and its address only if requested", async () => {
    const [{ id = "" } = {}] = (await local.sdk.v2.core.eventDestinations.list()).data;
    const [again] = (await local.sdk.v2.core.eventDestinations.list({ include: ["webhook_endpoint.url"] })).data;
    expect(secret).toMatch(/^whsec_/);
    expect(again?.webhook_endpoint).toEqual({ url: expect.stringContaining("/v1/webhooks/stripe") });
    const renamed = await local.sdk.v2.core.eventDestinations.update(id, { enabled_events: ["*"] });
    expect(renamed.enabled_events).toEqual(["*"]);
    await local.sdk.v2.core.eventDestinations.del(id);
    expect((await local.sdk.v2.core.eventDestinations.list()).data).toEqual([]);
  });
});

describe("events that tell what the object does not", () => {
  test("the event of a detached payment method names the customer who had it", async () => {
    const { id: customer } = await local.sdk.customers.create({});
    const method = await local.sdk.paymentMethods.attach("pm_card_visa", { customer });
    expect((await local.sdk.paymentMethods.detach(method.id)).customer).toBeNull();
    await local.stripe.idle();
    const { id } = JSON.parse(received.at(-1)?.body ?? "{}");
    const event = await local.sdk.v2.core.events.retrieve(id);
    expect(event).toMatchObject({ type: "v1.payment_method.detached", changes: { before: { customer } } });
  });

  test("usage without a meter, or for a deleted customer, is accepted and reported in an event", async () => {
    await expect(report(local.sdk, "cus_gone", "2027-01-10T11:00:00Z", 1)).resolves.toBeDefined();
    const { price } = await aMeteredPrice(local.sdk);
    const { customer } = await aSubscription(local.sdk, price.id);
    await local.sdk.customers.del(customer);
    await report(local.sdk, customer, "2027-01-10T11:00:00Z", 1);
    await local.stripe.idle();
    const events = received.map(({ body }) => JSON.parse(body)).filter(({ type }) => type.includes("meter"));
    expect(events).toMatchObject([
      { type: "v1.billing.meter.no_meter_found", related_object: null },
      { type: "v1.billing.meter.error_report_triggered", related_object: { type: "billing.meter" } },
    ]);
  });
});

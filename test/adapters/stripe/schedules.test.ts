// Random schedules: everything that a billing run does, each call made to fail before or after its effect, and repeated until it is
// done. In the end there is one customer, one subscription for each workspace, and Stripe's quantity is the value that it was told last.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import type { FaultInput } from "../../../emulators/aws/faults.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";
import { aLabel } from "../../support/billing/invoices.ts";
import { sizes } from "../../support/sizes.ts";

const runs = sizes.stripeCalls;
const seed = process.env.ARCHWAY_STRIPE_SEED;
const timeoutMs = 10_000 + runs * 5_000;

const owner = { sub: "sub-1", email: "owner@acme.example" };
const hour = 3_600_000;
/** All of it lies in one period: what comes after its invoice is final is not the adapter's to carry on. */
const [start, lastPause] = ["2027-01-01T00:20:00Z", Date.parse("2027-01-18T00:00:00Z")];

const fault = fc.record({
  kind: fc.constantFrom("error", "cut", "throttle"),
  when: fc.constantFrom("before", "after"),
  times: fc.integer({ min: 1, max: 3 }),
  /** How long nobody tries again; keys live a day. */
  pauseHours: fc.constantFrom(0, 0, 0, 2, 30),
});
type Trouble = { kind: string; when: string; times: number; pauseHours: number };

const step = fc.record({
  tenant: fc.constantFrom(1, 2),
  value: fc.integer({ min: 0, max: 3_000_000 }),
  hours: fc.integer({ min: 1, max: 20 }),
  fault: fc.option(fault, { nil: undefined }),
});

const schedule = fc.record({
  making: fc.array(fc.option(fault, { nil: undefined }), { minLength: 3, maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  ending: fc.option(fault, { nil: undefined }),
  lagSeconds: fc.constantFrom(0, 600),
});

async function play(
  local: RunningStripe,
  { making, steps, ending, lagSeconds }: typeof schedule extends fc.Arbitrary<infer S> ? S : never,
) {
  await aMeteredPrice(local.sdk, 1);
  await aMeteredPrice(local.sdk, 2);
  local.stripe.configure({ usage_lag_seconds: lagSeconds });
  const payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
  const until = <T>(operation: string, trouble: Trouble | undefined, act: () => Promise<T>) =>
    untilDone(local, operation, trouble, act);

  const { id: customerId } = await until("customers.create", making[0], () => payments.customer(owner));
  const subscribe = (slot: number) =>
    until("subscriptions.create", making[slot], () =>
      payments.subscription({ customerId, tenantId: `t${slot}`, slot, label: aLabel, automaticTax: false }),
    );
  const subscriptions = [await subscribe(1), await subscribe(2)];
  const truth = [0, 0];
  for (const { tenant, value, hours, fault } of steps) {
    local.clock.advance(hours * hour);
    const at = Math.floor(local.clock.now() / 1000) * 1000;
    await until("v2.billing.meterEvents.create", fault, () => payments.report({ customerId, slot: tenant, at, value }));
    truth[tenant - 1] = value;
  }
  local.clock.advance(lagSeconds * 1000 + 1_000);
  for (const { id } of subscriptions) await until("subscriptions.cancel", ending, () => payments.cancel(id));
  return { payments, customerId, subscriptions, truth };
}

/** Repeats what failed, as a saga does. */
async function untilDone<T>(
  local: RunningStripe,
  operation: string,
  trouble: Trouble | undefined,
  act: () => Promise<T>,
): Promise<T> {
  if (trouble) {
    const { kind, when, times } = trouble as Pick<FaultInput, "kind" | "when" | "times">;
    local.fail({ service: "stripe", operation, kind, when, times });
  }
  for (;;) {
    try {
      const done = await act();
      local.fail();
      return done;
    } catch (error) {
      expect(error).toMatchObject({ code: "payments_unavailable" });
      if (local.clock.now() < lastPause) local.clock.advance((trouble?.pauseHours ?? 0) * hour);
    }
  }
}

/** By subscription, over all its invoices. */
async function billed(payments: PaymentProvider, customerId: string): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const { subscriptionId = "", quantity } of await payments.invoices(customerId)) {
    sums.set(subscriptionId, (sums.get(subscriptionId) ?? 0) + quantity);
  }
  return sums;
}

test(
  `${runs} random orders of Stripe's events leave the books correct`,
  async () => {
    const property = fc.asyncProperty(schedule, async (given) => {
      const local = await startStripe(start);
      try {
        const { payments, customerId, subscriptions, truth } = await play(local, given);
        expect((await local.sdk.customers.list()).data).toHaveLength(1);
        expect((await local.sdk.subscriptions.list({ status: "all", limit: 100 })).data).toHaveLength(2);
        const sums = await billed(payments, customerId);
        expect(subscriptions.map(({ id }) => sums.get(id) ?? 0)).toEqual(truth);
      } finally {
        await local.close();
      }
    });
    await fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed: Number(seed) }) });
  },
  timeoutMs,
);

// The audit's attacks on billing, by its numbers: what each cost, and the test that plays it with what comes of it now.
//  1  A card that never paid bought 48 days, the owner's next workspaces went on, 563 USD were used in a first minute: the trial's cap is
//     all that either buys. test/e2e/billing/debt.test.ts
//  2  1.87 USD of a workspace without a subscription were dropped: told each hour, and billed at its end.
//     test/e2e/billing/billing-life.test.ts, test/domain/provisioning/billing-end.test.ts
//  3  A card that no event told did not count, a debt that no event told suspended nobody: both are read within a day.
//     test/e2e/billing/billing.test.ts, test/e2e/billing/debt.test.ts; forged, stale and repeated events: test/handlers/webhook/handler.test.ts
//  4  3.04 USD that were counted and then cancelled in Stripe's dashboard were on no invoice: they are on the renewed subscription's. Below.
//  5  Kills, outages and disorder over month ends cost nothing: usage-schedules.test.ts
//  6  3.30 of 4.51 USD were lost to a draft that takes no late usage: they are told, and on the next invoice. Below.
//  7  An invoice that nobody could derive: a stranger does, to the cent. test/e2e/billing/finance.suite.ts
//  8  Five tenants without an answer kept 35 others waiting: test/domain/reporting/reporting-job.test.ts
//  9  Deletions at bad times are billed whole. Below.
// 10  Two workspaces that went on one day left customer, card and account: nothing is left.
//     test/e2e/provisioning/tenant-life.test.ts, test/domain/provisioning/billing-setup.test.ts
// 11  A rolled webhook secret rang nowhere, and an owner heard nothing: test/handlers/webhook/handler.test.ts, test/e2e/billing/billing.test.ts
// A stream that was cut was invoiced at 53 times its usage: test/e2e/metering/usage.test.ts
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { BilledUsage } from "../../support/billing/billed-usage.ts";

const hour = 3_600_000;
/** Nano-USD of a call. */
const call = 604_000_123;

let world: BilledUsage;
let spent: Map<string, number>;
beforeEach(async () => {
  world = await BilledUsage.start("2027-01-10T10:20:00Z");
  world.markup = 1.2;
  spent = new Map();
  await world.subscribe("t1", 1);
});
afterEach(() => world.end());

function use(calls: number, tenantId = "t1"): void {
  for (let index = 0; index < calls; index++) world.use(tenantId, call);
  spent.set(tenantId, (spent.get(tenantId) ?? 0) + calls * call);
}

/** What the ledger says, in micro-USD after the markup. */
function ledger(tenantId = "t1"): number {
  return Math.floor(((spent.get(tenantId) ?? 0) * 1.2) / 1000);
}

async function run(): Promise<void> {
  for (const tenantId of world.payers.keys()) {
    await world.run(() => world.close(tenantId));
    await world.run(() => world.reporting().tenant(tenantId));
    await world.run(() => world.endBilling(tenantId));
  }
}

async function pass(hours: number): Promise<void> {
  for (let index = 0; index < hours; index++) {
    world.advance(hour);
    await run();
  }
}

/** Up to ten minutes after a month's end. */
function untilMonthsEnd(): void {
  const now = new Date(world.now);
  world.local.until(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 0, 10)).toISOString());
}

function down(): void {
  world.disturb = (name) => {
    if (name !== "store") throw new Refusal("payments_unavailable", "down");
  };
}

function up(): void {
  world.disturb = () => {};
}

/** All of the workspace's invoices, once the last of them is final. */
async function billed(tenantId = "t1"): Promise<number> {
  expect((await world.invoices(tenantId)).filter(({ status }) => status === "draft")).toEqual([]);
  return world.invoiced(tenantId);
}

describe("what was counted and then cancelled in Stripe's dashboard is on the renewed subscription's invoice", () => {
  test.each([
    ["the subscription is cancelled", (id: string) => world.local.sdk.subscriptions.cancel(id)],
    [
      "the subscription is cancelled with an invoice",
      async (id: string) => {
        await world.local.sdk.subscriptions.cancel(id, { invoice_now: true });
        const [draft] = await world.invoices("t1");
        await world.local.sdk.invoices.finalizeInvoice(draft?.id ?? "");
      },
    ],
    ["the customer is deleted", () => world.local.sdk.customers.del(world.payers.get("t1")?.customerId ?? "")],
  ])(
    "usage that was counted and then cancelled in Stripe's dashboard is on the renewed subscription's invoice: %s",
    async (_, end) => {
      use(4);
      await pass(2);
      use(2);
      await end(world.payers.get("t1")?.subscriptionId ?? "");
      use(3);
      await pass(3);
      expect(world.alarms.at(-1)).toMatchObject({ reason: "ended", tenant_id: "t1" });
      await world.subscribe("t1", 1);
      use(2);
      await pass(3);
      untilMonthsEnd();
      await pass(80);
      expect(await billed()).toBe(ledger());
    },
  );
});

test("neither a draft that closes early nor a Stripe that is down loses money, and people are told about the delay", async () => {
  world.local.stripe.configure({ drafts_take_usage: "grace" });
  use(2);
  await pass(2);
  world.local.until("2027-01-31T23:30:00Z");
  use(5);
  untilMonthsEnd();
  down();
  await pass(3);
  up();
  await pass(80);
  expect(await billed()).toBeLessThan(ledger());
  expect(world.alarms).toContainEqual(expect.objectContaining({ reason: "difference", quantity: ledger() }));
  untilMonthsEnd();
  await pass(80);
  expect(await billed()).toBe(ledger());
});

describe("a workspace that is deleted is billed to its end", () => {
  test("a deleted workspace is billed to its end within the hour, even if Stripe is down for three hours", async () => {
    use(2);
    down();
    world.delete("t1");
    await pass(3);
    up();
    await pass(4);
    expect(await billed()).toBe(ledger());
  });

  test("a workspace deleted ten minutes before a month's end is billed to its end", async () => {
    use(2);
    world.local.until("2027-01-31T23:50:00Z");
    use(3);
    world.delete("t1");
    untilMonthsEnd();
    await pass(5);
    expect(await billed()).toBe(ledger());
  });

  test("a deleted workspace is billed to its end on the second day of a month, while the draft of the month before takes usage", async () => {
    use(2);
    untilMonthsEnd();
    await pass(26);
    use(3);
    world.delete("t1");
    await pass(5);
    expect(await billed()).toBe(ledger());
  });

  test("a deleted workspace whose card is declined is billed to its end, and its whole debt is an open invoice", async () => {
    await world.addCard("4000000000000341");
    use(2);
    world.delete("t1");
    await pass(5);
    expect(await billed()).toBe(ledger());
    expect((await world.invoices("t1")).map(({ status }) => status)).toEqual(["open"]);
  });
});

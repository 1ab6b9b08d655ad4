// The reporting of one workspace, over the local Stripe and a table in memory.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import StripeSdk from "stripe";
import { isEarly } from "../../../domain/billing/early-invoice.ts";
import type { Payer } from "../../../domain/billing/payer.ts";
import { PaymentError } from "../../../domain/billing/payment-provider.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { TotalChanged } from "../../../domain/reporting/billing-total.ts";
import { BilledUsage } from "../../support/billing/billed-usage.ts";
import { aLabel } from "../../support/billing/invoices.ts";

const hour = 3_600_000;
/** Nano-USD. */
const usd = 1_000_000_000;

let world: BilledUsage;
beforeEach(async () => {
  world = await BilledUsage.start("2027-01-10T11:20:00Z");
});
afterEach(() => world.end());

const report = () => world.reporting().tenant("t1");
const totals = () => world.sent.map(({ value }) => value);
const total = () => world.totals().get("t1");
async function listed(): Promise<boolean> {
  for await (const tenantId of world.totals().tenants(world.shardOf("t1"))) if (tenantId === "t1") return true;
  return false;
}

/** Usage whose hour is closed. */
async function used(cost: number): Promise<void> {
  world.use("t1", cost);
  world.advance(2 * hour);
  await world.close("t1");
}

/** A run each hour. */
async function until(time: string): Promise<void> {
  while (world.now < Date.parse(time)) {
    world.advance(hour);
    await world.close("t1");
    await report();
  }
}

describe("a month", () => {
  beforeEach(() => world.subscribe("t1", 1));

  test("a month's usage is reported as one growing total, once for each change", async () => {
    await used(2 * usd);
    await report();
    await report();
    await used(usd / 2);
    await report();
    expect(totals()).toEqual([2_000_000, 2_500_000]);
    const [one, other] = world.sent;
    expect(other?.at).toBeGreaterThan(one?.at ?? 0);
  });

  test("the reporter measures how long the oldest unreported hour has waited", async () => {
    await used(2 * usd);
    world.disturb = (call) => {
      if (call === "report") throw new Refusal("payments_unavailable", "down");
    };
    await expect(report()).rejects.toThrow("down");
    world.advance(30 * hour);
    await expect(report()).rejects.toThrow("down");
    expect(world.waits.map(Math.floor)).toEqual([2, 32]);
    world.disturb = () => {};
    await report();
    world.advance(hour);
    await report();
    expect(world.waits).toHaveLength(3);
    await used(usd);
    await report();
    expect(Math.floor(world.waits.at(-1) ?? 0)).toBe(2);
  });

  test("a month's usage whose last answer was lost is reported again, with a later time even within the same second", async () => {
    await used(2 * usd);
    world.disturb = (call, when) => {
      if (call === "report" && when === "after") throw new Refusal("payments_unavailable", "lost");
    };
    await expect(report()).rejects.toBeInstanceOf(Refusal);
    world.disturb = () => {};
    await report();
    await report();
    expect(totals()).toEqual([2_000_000, 2_000_000]);
    expect((world.sent[1]?.at ?? 0) - (world.sent[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test("a month's usage is reported by one of two simultaneous runs", async () => {
    await used(2 * usd);
    const outcomes = await Promise.allSettled([report(), report()]);
    const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    for (const reason of refused) expect(reason).toBeInstanceOf(TotalChanged);
    await report();
    await until("2027-02-05T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(2_000_000);
  });

  test("a month's usage is on its invoice, which waits 72 hours and then equals the ledger; until then the tenant is listed", async () => {
    await used(2 * usd);
    await until("2027-01-31T22:00:00Z");
    world.use("t1", 3 * usd);
    await until("2027-02-03T23:00:00Z");
    expect(await world.invoices("t1")).toMatchObject([
      { status: "draft", finalizesAt: Date.parse("2027-02-04T00:00:00Z"), quantity: 5_000_000 },
    ]);
    expect(await listed()).toBe(true);
    await until("2027-02-04T02:00:00Z");
    expect(await world.invoices("t1")).toMatchObject([{ status: "open", quantity: 5_000_000 }]);
    expect([await listed(), world.alarms]).toEqual([false, []]);
    expect((await total())?.sent).toEqual({});
  });

  test("a month's usage is not reported in its last hour, whose times are reserved for later values", async () => {
    await until("2027-01-31T22:20:00Z");
    world.use("t1", usd);
    world.local.until("2027-01-31T23:30:00Z");
    await world.close("t1");
    await report();
    expect(world.sent).toEqual([]);
    await until("2027-02-01T02:00:00Z");
    expect(world.sent.map(({ at }) => new Date(at).toISOString())).toEqual(["2027-01-31T23:00:00.000Z"]);
  });

  test("a month's usage keeps the markup with which it began", async () => {
    world.markup = 2;
    await used(usd);
    await report();
    world.markup = 3;
    await used(usd);
    await report();
    await until("2027-02-05T00:00:00Z");
    await used(usd);
    await report();
    expect(totals()).toEqual([2_000_000, 4_000_000, 3_000_000]);
  });

  test("a month's usage is reported again if the draft invoice lacks what was reported", async () => {
    await used(2 * usd);
    world.swallows = () => true;
    await report();
    world.swallows = () => false;
    await until("2027-02-05T00:00:00Z");
    expect([await world.invoiced("t1"), world.alarms]).toEqual([2_000_000, []]);
  });
});

describe("what the provider does otherwise than expected loses nothing:", () => {
  beforeEach(() => world.subscribe("t1", 1));

  test("a month's usage for which the provider makes no draft is billed later, even in a workspace that is never used again", async () => {
    world.local.stripe.configure({ drafts_without_usage: false });
    await until("2027-01-31T22:00:00Z");
    world.use("t1", 3 * usd);
    await until("2027-02-10T00:00:00Z");
    expect(await world.invoices("t1")).toEqual([]);
    expect((await total())?.sent).toEqual({ "2027-01": 0, "2027-02": 3_000_000 });
    await until("2027-03-05T00:00:00Z");
    expect([await world.invoiced("t1"), await listed(), world.alarms]).toEqual([3_000_000, false, []]);
  });

  test.each([
    ["never_final", "2027-02-05T00"],
    ["final_as_before", "2027-02-01T01"],
  ] as const)("a draft invoice that is held for 72 hours is %s", async (held_drafts, finalIn) => {
    world.local.stripe.configure({ held_drafts });
    await used(3 * usd);
    await until("2027-02-06T00:00:00Z");
    const [invoice] = await world.invoices("t1");
    expect(invoice).toMatchObject({ status: "open", quantity: 3_000_000 });
    // The hour: the clock goes on while the test runs.
    expect(new Date(invoice?.finalizedAt ?? 0).toISOString().slice(0, 13)).toBe(finalIn);
    expect(world.alarms).toEqual([]);
  });

  test("a draft invoice that cannot be held becomes final at the account's time, and missing usage is on the next invoice", async () => {
    const holdDraft = async () => {
      throw new PaymentError("invoices.update", { code: "invalid_request_error" });
    };
    world.mutant = { payments: () => ({ holdDraft }) };
    await used(3 * usd);
    await until("2027-01-31T22:20:00Z");
    // A call whose end nobody heard keeps its hour open for a day.
    world.use("t1", usd, { provisional: true });
    await until("2027-02-04T00:00:00Z");
    expect(await world.invoices("t1")).toMatchObject([{ status: "open", quantity: 3_000_000 }]);
    await until("2027-03-05T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(4_000_000);
  });

  test("a draft invoice that remains and cannot be made final is reported in each run, and blocks nothing", async () => {
    world.local.stripe.configure({ held_drafts: "never_final" });
    await used(3 * usd);
    await until("2027-02-04T22:00:00Z");
    const collect = async () => {
      throw new PaymentError("invoices.finalizeInvoice", { code: "invalid_request_error" });
    };
    world.mutant = { payments: () => ({ collect }) };
    await used(usd);
    await report();
    const [draft] = await world.invoices("t1");
    const told = { reason: "not_final", tenant_id: "t1", invoice_id: draft?.id, quantity: 3_000_000 };
    expect([world.alarms, totals().at(-1)]).toEqual([[told], 1_000_000]);
  });
});

describe("a final invoice that differs from the ledger", () => {
  beforeEach(() => world.subscribe("t1", 1));

  test("a final invoice that differs from the ledger is reported, recorded in the audit trail, and corrected by the next month's invoice", async () => {
    world.swallows = () => true;
    await until("2027-01-31T22:00:00Z");
    world.use("t1", 3 * usd);
    await until("2027-02-05T00:00:00Z");
    world.swallows = () => false;
    const [invoice] = await world.invoices("t1");
    const facts = { invoice_id: invoice?.id, quantity: 3_000_000, seen: 0 };
    expect(world.alarms).toEqual([{ reason: "difference", tenant_id: "t1", ...facts }]);
    const [entry] = [...world.table.items].filter(({ action }) => action === "invoice.difference");
    expect(entry).toMatchObject({ tenant_id: "platform", actor: "report", target: "t1" });
    await until("2027-03-05T00:00:00Z");
    expect([await world.invoiced("t1"), world.alarms.length]).toEqual([3_000_000, 1]);
  });

  test("a final invoice that differs because of a later correction is balanced in the next month", async () => {
    const row = world.use("t1", 3 * usd, { provisional: true });
    await until("2027-02-05T00:00:00Z");
    await world.correct(row, usd);
    await used(5 * usd);
    await until("2027-03-05T00:00:00Z");
    expect((await world.invoices("t1")).map(({ quantity }) => quantity)).toEqual([3_000_000, 3_000_000]);
  });

  test("a final invoice that people voided is not billed again", async () => {
    await used(3 * usd);
    await until("2027-02-05T00:00:00Z");
    const [invoice] = await world.invoices("t1");
    world.local.stripe.account.putInvoice({
      ...(world.local.stripe.account.invoices.get(invoice?.id ?? "") as never as object),
      status: "void",
    } as never);
    await until("2027-03-05T00:00:00Z");
    expect((await world.invoices("t1")).map(({ quantity }) => quantity)).toEqual([0, 3_000_000].toReversed());
  });
});

test("the amount charged at a price that people changed in the dashboard is subtracted from the next total", async () => {
  await world.subscribe("t1", 1);
  const { sdk } = world.local;
  const subscriptionId = world.payers.get("t1")?.subscriptionId ?? "";
  /** @returns the item of before */
  async function moveTo(price: string) {
    const [item] = (await sdk.subscriptions.retrieve(subscriptionId)).items.data;
    if (!item) throw new Error("the subscription has no item");
    await sdk.subscriptions.update(subscriptionId, { items: [{ id: item.id, deleted: true }, { price }] });
    return item;
  }
  const [own] = (await sdk.prices.list({ lookup_keys: ["usage_usd_1"] })).data;
  const { id: dearer } = await sdk.prices.create({
    currency: "usd",
    product: String(own?.product),
    recurring: { interval: "month", usage_type: "metered", meter: own?.recurring?.meter ?? "" },
    unit_amount_decimal: StripeSdk.Decimal.from("120"),
  });
  await used(5 * usd);
  await report();
  await moveTo(dearer);
  await until("2027-02-06T00:00:00Z");
  // 5 USD of usage were charged as 6: people are told, and of the next 5 USD 4 are billed.
  expect(await world.invoiced("t1")).toBe(6_000_000);
  expect(world.alarms).toContainEqual(expect.objectContaining({ reason: "difference" }));
  await moveTo(own?.id ?? "");
  await used(5 * usd);
  await until("2027-03-06T00:00:00Z");
  expect(await world.invoiced("t1")).toBe(10_000_000);
});

describe("a subscription", () => {
  test("usage without a subscription waits and is reported, and a later subscription bills all of it", async () => {
    await used(2 * usd);
    await report();
    expect(world.alarms).toEqual([{ reason: "no_subscription", tenant_id: "t1", quantity: 2_000_000 }]);
    await until("2027-02-10T00:00:00Z");
    await world.subscribe("t1", 1);
    await until("2027-03-05T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(2_000_000);
  });

  test("a subscription that people ended is reported with the unbilled amount, which another subscription bills", async () => {
    const { subscriptionId, customerId } = await world.subscribe("t1", 1);
    await used(2 * usd);
    await report();
    await world.local.sdk.subscriptions.cancel(subscriptionId);
    await used(usd);
    await report();
    expect(world.alarms).toEqual([{ reason: "ended", tenant_id: "t1", quantity: 3_000_000 }]);
    const wanted = {
      customerId,
      tenantId: "t1",
      slot: 1,
      label: aLabel,
      automaticTax: false,
      insteadOf: subscriptionId,
    };
    const renewed = await world.payments.subscription(wanted);
    world.payers.set("t1", { ...(world.payers.get("t1") as Payer), subscriptionId: renewed.id });
    await until("2027-02-05T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(3_000_000);
  });

  test("a deleted workspace's subscription is handled by the end of its billing, and later usage is reported once", async () => {
    const payer = await world.subscribe("t1", 1);
    world.payers.set("t1", { ...payer, isDeleted: true });
    await used(2 * usd);
    await report();
    expect([world.sent, world.alarms]).toEqual([[], []]);
    await world.local.sdk.subscriptions.cancel(payer.subscriptionId);
    await report();
    expect(world.alarms).toEqual([{ reason: "ended", tenant_id: "t1", quantity: 2_000_000 }]);
    expect(await listed()).toBe(false);
  });

  test("a deleted workspace's last invoice that is too high after a correction is reported with the amount", async () => {
    await world.subscribe("t1", 1);
    const row = world.use("t1", 3 * usd, { provisional: true });
    world.advance(30 * hour);
    await world.close("t1");
    world.delete("t1");
    world.advance(2 * hour);
    await world.close("t1");
    expect(await world.endBilling("t1")).toBe(true);
    expect(await world.invoiced("t1")).toBe(3_000_000);
    await world.correct(row, usd);
    await world.close("t1");
    await report();
    expect(world.alarms).toEqual([{ reason: "overpaid", tenant_id: "t1", quantity: 2_000_000 }]);
    const [entry] = [...world.table.items].filter(({ action }) => action === "billing.owed");
    expect(entry).toMatchObject({
      tenant_id: "platform",
      actor: "report",
      target: "t1",
      after: { micro_usd: 2_000_000 },
    });
  });
});

test("usage of two workspaces of one owner is reported separately", async () => {
  await world.subscribe("t1", 1);
  await world.subscribe("t2", 2);
  await used(2 * usd);
  await until("2027-02-05T00:00:00Z");
  expect([await world.invoiced("t1"), await world.invoiced("t2")]).toEqual([2_000_000, 0]);
});

describe("before the month's end, if the owner has much unpaid,", () => {
  beforeEach(async () => {
    await world.subscribe("t1", 1);
    await addCard("4242424242424242");
    world.isDueEarly = () => true;
  });
  const addCard = async (number: string) => {
    await world.addCard(number);
    for (const event of world.takeEvents()) await world.webhook(event);
  };
  const invoices = () => world.payments.invoices(world.payers.get("t1")?.customerId ?? "");
  const early = async () => (await invoices()).filter(({ subscriptionId }) => subscriptionId === undefined);

  test("a workspace that is billed early has the rest of the month on the month's invoice", async () => {
    await used(3 * usd);
    await report();
    expect(await early()).toMatchObject([{ tenantId: "t1", status: "paid", quantity: 3_000_000, paidCents: 300 }]);
    await report();
    world.isDueEarly = () => false;
    await used(usd / 2);
    await until("2027-02-05T01:00:00Z");
    expect(totals()).toEqual([0, 500_000]);
    expect(await world.invoiced("t1")).toBe(3_500_000);
    expect(world.alarms).toEqual([]);
  });

  test("an early invoice is made once by two simultaneous runs, and after a run that was interrupted at any step", async () => {
    await used(3 * usd);
    await Promise.allSettled([report(), report()]);
    for (const operation of ["invoices.create", "invoiceItems.create", "invoices.finalizeInvoice", "invoices.pay"]) {
      for (const when of ["before", "after"] as const) {
        await used(2 * usd);
        world.local.fail({ service: "stripe", operation, kind: "error", when });
        await report().catch(() => undefined);
        // More is used meanwhile, which the invoice that was begun does not take.
        await used(usd);
        await report();
        await report();
      }
    }
    expect((await invoices()).filter(({ status }) => status === "draft")).toEqual([]);
    world.isDueEarly = () => false;
    await until("2027-02-05T01:00:00Z");
    expect(await world.invoiced("t1")).toBe(27_000_000);
    expect(world.alarms).toEqual([]);
  });

  test("an early invoice that the provider refuses leaves the usage to the month's invoice, and makes the run fail", async () => {
    const billEarly = async () => {
      throw new PaymentError("invoices.create", { code: "invalid_request_error" });
    };
    world.mutant = { payments: () => ({ billEarly }) };
    await used(3 * usd);
    await expect(report()).rejects.toBeInstanceOf(PaymentError);
    expect(totals()).toEqual([3_000_000]);
    world.isDueEarly = () => false;
    await until("2027-02-05T01:00:00Z");
    expect([await world.invoiced("t1"), await early(), world.alarms]).toEqual([3_000_000, [], []]);
  });

  test("an owner with an unpaid invoice gets no further early invoice", async () => {
    await addCard("4000000000000341");
    await used(3 * usd);
    await report();
    expect(await early()).toMatchObject([{ status: "open", dueCents: 300 }]);
    await used(3 * usd);
    await report();
    expect(await early()).toHaveLength(1);
    expect(totals().at(-1)).toBe(3_000_000);
  });

  test("the previous month's invoice does not wait for an early invoice: it is final once its hours are closed, and then the present month is billed early", async () => {
    world.isDueEarly = () => false;
    await used(3 * usd);
    await until("2027-01-31T22:20:00Z");
    // A call whose end nobody heard keeps its hour open for a day: it is on a later invoice.
    world.use("t1", usd, { provisional: true });
    await until("2027-02-01T00:20:00Z");
    world.isDueEarly = () => true;
    world.use("t1", 2 * usd);
    await until("2027-02-01T01:20:00Z");
    expect(await invoices()).toMatchObject([{ status: "draft", quantity: 3_000_000 }]);
    await until("2027-02-01T02:20:00Z");
    expect(await invoices()).toMatchObject([{ status: "paid", quantity: 3_000_000, paidCents: 300 }]);
    await until("2027-02-01T03:20:00Z");
    expect(await early()).toMatchObject([{ status: "paid", quantity: 2_000_000 }]);
    await until("2027-03-05T01:00:00Z");
    expect(await world.invoiced("t1")).toBe(6_000_000);
    expect(world.alarms).toEqual([]);
  });

  test("the previous month's invoice waits for usage that it lacks", async () => {
    world.isDueEarly = () => false;
    await used(3 * usd);
    world.swallows = () => true;
    await until("2027-02-01T02:20:00Z");
    world.isDueEarly = () => true;
    await until("2027-02-01T03:20:00Z");
    expect(await invoices()).toMatchObject([{ status: "draft", quantity: 0 }]);
    world.swallows = () => false;
    await until("2027-02-01T05:20:00Z");
    expect(await invoices()).toMatchObject([{ status: "paid", quantity: 3_000_000 }]);
    expect(world.alarms).toEqual([]);
  });

  test("a month without usage, for which there is no draft yet, delays nothing", async () => {
    world.local.until("2027-02-10T00:20:00Z");
    const list = world.payments.invoices;
    world.mutant = { payments: () => ({ invoices: async (id) => (await list(id)).filter(isEarly) }) };
    await used(2 * usd);
    await report();
    expect(await early()).toMatchObject([{ status: "paid", quantity: 2_000_000 }]);
  });
});

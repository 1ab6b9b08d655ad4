import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Payer } from "../../../domain/billing/payer.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { BilledUsage } from "../../support/billing/billed-usage.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const first = "2027-01-10T12";

let world: BilledUsage;
let payer: Payer;
beforeEach(async () => {
  world = await BilledUsage.start("2027-01-10T12:00:00Z");
  payer = await world.subscribe("t1", 1);
});
afterEach(() => world.end());

const report = (tenantId = "t1") => world.reporting().tenant(tenantId);
const stateOf = (of = first, tenantId = "t1") => world.report(tenantId, of)?.state;
const reasons = () => world.alarms.map(({ reason }) => reason);
const lost = () => new Refusal("payments_unavailable", "lost");
const inMinutes = (minutes: number) => world.advance(minutes * minute);
const counted = (hourStart = Date.parse(`${first}:00:00Z`), slot = 1) =>
  world.payments.aggregated({ customerId: payer.customerId, slot, hourStart });

/** Usage in this hour, closed and reported after it. */
async function used(cost: number, tenantId = "t1"): Promise<void> {
  world.use(tenantId, cost);
  inMinutes(70);
  await world.close(tenantId);
}

/** The provider's answer is lost, or the call itself. */
function losing(when: "before" | "after", times = 1): void {
  let left = times;
  world.disturb = (call, at) => {
    if (call !== "report" || at !== when || left === 0) return;
    left -= 1;
    throw lost();
  };
}

describe("a closed hour", () => {
  test("is sent once in whole micro-USD, and is over once the provider shows it", async () => {
    await used(5_700);
    await report();
    expect([stateOf(), await counted()]).toEqual(["taken", 5]);
    expect(world.sent).toEqual([
      {
        customerId: payer.customerId,
        slot: 1,
        identifier: `usage-t1-${first}`,
        at: Date.parse("2027-01-10T12:59:59Z"),
        value: 5,
      },
    ]);
    await report();
    expect(stateOf()).toBe("taken");
    inMinutes(15);
    await report();
    expect(stateOf()).toBe("counted");
    expect(world.report("t1", first)).not.toHaveProperty("gsi2_pk");
    await report();
    expect(world.sent).toHaveLength(1);
  });

  test("takes with it what the hour before left below a micro-USD", async () => {
    await used(5_700);
    await report();
    await used(400);
    await report();
    expect(world.sent.map(({ value }) => value)).toEqual([5, 1]);
  });

  test("of less than a micro-USD is not sent, and not lost", async () => {
    await used(700);
    await report();
    expect([stateOf(), world.sent]).toEqual(["counted", []]);
    await used(300);
    await report();
    expect(world.sent.map(({ value }) => value)).toEqual([1]);
  });

  test("is sent at the markup", async () => {
    world.markup = 1.5;
    await used(3_000);
    await report();
    expect(await counted()).toBe(4);
  });

  test("that free credit has paid is not sent", async () => {
    world.use("t1", 9_000, { on_credit: true });
    inMinutes(70);
    await world.close("t1");
    await report();
    expect([stateOf(), world.sent]).toEqual(["unsent", []]);
    expect(world.report("t1", first)).not.toHaveProperty("gsi2_pk");
  });

  test("is frozen before it is sent: as it was sent first, it is sent again", async () => {
    losing("before");
    await used(5_000);
    await expect(report()).rejects.toThrow("lost");
    const frozen = world.report("t1", first);
    expect(frozen).toMatchObject({ state: "sending", quantity: 5, identifier: `usage-t1-${first}` });
    world.markup = 2;
    inMinutes(15);
    await report();
    expect(new Set(world.sent.map((event) => JSON.stringify(event))).size).toBe(1);
    expect([stateOf(), await counted()]).toEqual(["taken", 5]);
  });

  test("whose answer is lost counts once, and 'already there' is success", async () => {
    losing("after");
    await used(5_000);
    await expect(report()).rejects.toThrow("lost");
    await report();
    expect([stateOf(), await counted(), world.sent.length]).toEqual(["taken", 5, 2]);
  });

  test("is not sent by two runs at once", async () => {
    await used(5_000);
    await Promise.all([report(), report(), report()]);
    expect(world.sent).toHaveLength(1);
  });

  test("of another workspace of the owner goes to its own meter", async () => {
    await world.subscribe("t2", 2);
    world.use("t2", 8_000);
    await used(5_000);
    await world.close("t2");
    await Promise.all([report(), report("t2")]);
    expect([await counted(), await counted(undefined, 2)]).toEqual([5, 8]);
  });
});

describe("after a day without confirmation", () => {
  test("the summary is read, and what counts is not sent again", async () => {
    losing("after");
    await used(5_000);
    await expect(report()).rejects.toThrow("lost");
    world.advance(2 * day);
    await report();
    expect([stateOf(), world.sent.length]).toEqual(["counted", 1]);
  });

  test("what does not count is sent again, the same event", async () => {
    losing("before");
    await used(5_000);
    await expect(report()).rejects.toThrow("lost");
    world.advance(2 * day);
    await report();
    expect([stateOf(), await counted(), reasons()]).toEqual(["taken", 5, []]);
  });

  test("what was taken and is not shown raises an alarm, and is sent again", async () => {
    world.swallows = () => true;
    await used(5_000);
    await report();
    inMinutes(30);
    await report();
    expect([stateOf(), reasons()]).toEqual(["taken", []]);
    world.swallows = () => false;
    world.advance(day);
    await report();
    expect(reasons()).toEqual(["difference"]);
    inMinutes(15);
    await report();
    expect([stateOf(), await counted(), reasons()]).toEqual(["counted", 5, ["difference"]]);
  });

  test("another's quantity is replaced by ours, with an alarm", async () => {
    await used(5_000);
    await report();
    const at = Date.parse(`${first}:30:00Z`);
    await world.payments.report({ customerId: payer.customerId, slot: 1, identifier: "by hand", at, value: 77 });
    world.advance(day);
    await report();
    expect([await counted(), reasons()]).toEqual([5, ["difference"]]);
  });

  test("a difference that stays goes on raising the alarm until it is too late", async () => {
    world.swallows = () => true;
    await used(5_000);
    for (let days = 0; days < 4; days++) {
      await report();
      world.advance(day + hour);
    }
    expect(reasons()).toEqual(["difference", "difference", "difference"]);
    world.advance(36 * day);
    await report();
    expect([stateOf(), reasons().at(-1)]).toEqual(["lost", "too_old"]);
  });
});

describe("at a month's end", () => {
  beforeEach(() => world.local.until("2027-01-31T23:10:00Z"));
  const last = "2027-01-31T23";

  test("the last hour is on its month's invoice", async () => {
    world.local.stripe.configure({ grace_seconds: 72 * 3_600 });
    await used(5_000);
    await report();
    world.local.until("2027-02-04T01:00:00Z");
    expect(await world.invoiced("t1")).toBe(5);
  });

  test("usage that comes after its invoice is final is carried into the event of a present hour, beside that hour's usage", async () => {
    await used(5_000);
    world.local.until("2027-02-01T05:30:00Z");
    world.use("t1", 2_000);
    inMinutes(70);
    await world.close("t1");
    await report();
    expect([stateOf(last), world.sent.map(({ value, at }) => [value, at])]).toEqual([
      "carried",
      [[7, Date.parse("2027-02-01T05:59:59Z")]],
    ]);
  });

  test("usage that comes after its invoice is final is carried into an hour without usage, if no present hour has any", async () => {
    await used(5_000);
    world.local.until("2027-02-01T05:30:00Z");
    await world.close("t1");
    await report();
    expect([stateOf(last), world.sent.map(({ value, at }) => [value, at])]).toEqual([
      "carried",
      [[5, Date.parse("2027-02-01T04:59:59Z")]],
    ]);
    world.local.until("2027-03-02T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(5);
  });

  test("but not before the meter has closed that hour", async () => {
    await used(5_000);
    world.local.until("2027-02-01T05:30:00Z");
    world.use("t1", 3_000, { at: Date.parse("2027-02-01T04:10:00Z"), provisional: true });
    await world.close("t1");
    await report();
    expect([stateOf(last), world.sent]).toEqual(["carried", []]);
    expect(await world.outbox().count("t1", ["2027-01", "2027-02"])).toBe(1);
  });

  test("an event whose answer was lost is not sent into a final invoice, and carried only if it does not count", async () => {
    losing("before");
    await used(5_000);
    await expect(report()).rejects.toThrow("lost");
    world.local.until("2027-02-01T05:30:00Z");
    await report();
    expect([stateOf(last), world.sent]).toEqual(["sending", []]);
    world.advance(day);
    await world.close("t1");
    await report();
    expect(stateOf(last)).toBe("carried");
    world.local.until("2027-03-02T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(5);
  });

  test("what the provider shows another quantity of is never carried", async () => {
    await used(5_000);
    await report();
    const at = Date.parse(`${last}:30:00Z`);
    await world.payments.report({ customerId: payer.customerId, slot: 1, identifier: "by hand", at, value: 77 });
    world.advance(2 * day);
    await world.close("t1");
    await report();
    expect([stateOf(last), reasons(), world.sent.length]).toEqual(["taken", ["difference"], 2]);
  });
});

test("usage of before the subscription is in the first hour's event, which would take the place of another one", async () => {
  world.use("t3", 4_000);
  inMinutes(90);
  await world.close("t3");
  await report("t3");
  expect(stateOf(first, "t3")).toBe("unsent");
  await world.subscribe("t3", 2);
  world.use("t3", 3_000);
  inMinutes(60);
  await world.close("t3");
  await report("t3");
  expect(world.sent.map(({ value, at }) => [value, at])).toEqual([[7, Date.parse("2027-01-10T13:59:59Z")]]);
});

test("a correction upwards is billed though nobody calls any more", async () => {
  const row = world.use("t1", 5_000, { provisional: true });
  world.advance(26 * hour);
  await world.close("t1");
  await report();
  await world.correct(row, 8_000);
  inMinutes(15);
  await world.close("t1");
  await report();
  expect(world.sent.map(({ value }) => value)).toEqual([5, 3]);
});

describe("a correction downwards after its hour was reported", () => {
  const corrected = async (from: number, to: number) => {
    const row = world.use("t1", from, { provisional: true });
    world.advance(26 * hour);
    await world.close("t1");
    await report();
    inMinutes(15);
    await report();
    await world.correct(row, to);
  };
  const next = async () => {
    inMinutes(15);
    await world.close("t1");
    await report();
  };
  const values = () => world.sent.map(({ value }) => value);

  test("is taken back from its period though nobody calls any more", async () => {
    await corrected(5_000, 2_000);
    await next();
    expect(values()).toEqual([5, -3]);
    await next();
    expect([stateOf("2027-01-11T13"), await world.outbox().count("t1", ["2027-01"])]).toEqual(["counted", 0]);
    world.local.until("2027-02-02T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(2);
  });

  test("waits while anything else is on its way, since that does not show yet", async () => {
    const row = world.use("t1", 5_000, { provisional: true });
    world.advance(26 * hour);
    await used(9_000);
    await report();
    await world.correct(row, 2_000);
    inMinutes(5);
    await world.close("t1");
    await report();
    expect(values()).toEqual([5, 9]);
    await next();
    expect(values()).toEqual([5, 9]);
    // Into the next hour without usage.
    inMinutes(45);
    await next();
    expect(values()).toEqual([5, 9, -3]);
  });

  test("is not taken from a period that has less, and lessens later usage", async () => {
    world.local.until("2027-01-30T10:00:00Z");
    await corrected(5_000, 1_000);
    world.local.until("2027-02-02T06:00:00Z");
    await next();
    expect([values(), await world.outbox().count("t1", ["2027-01", "2027-02"])]).toEqual([[5], 0]);
    for (const cost of [3_000, 9_000]) {
      world.use("t1", cost);
      inMinutes(70);
      await world.close("t1");
      await report();
    }
    expect(values()).toEqual([5, 8]);
  });

  test("lessens the next usage also if its own event came too late for its period", async () => {
    await corrected(5_000, 2_000);
    const refused = { ...world.outbox(), freeze: () => Promise.reject(lost()) };
    inMinutes(15);
    await world.close("t1");
    await expect(world.reporting({ outbox: refused }).tenant("t1")).rejects.toThrow("lost");
    expect(world.report("t1", "2027-01-11T13")).toMatchObject({ state: "unsent", value: -3_000 });
    world.local.until("2027-02-03T06:30:00Z");
    await report();
    expect(stateOf("2027-01-11T13")).toBe("carried");
    world.use("t1", 1_000);
    inMinutes(70);
    await world.close("t1");
    await report();
    world.use("t1", 6_000);
    inMinutes(70);
    await world.close("t1");
    await report();
    expect(values()).toEqual([5, 4]);
  });
});

test("an hour that waits for its subscription past 35 days is not billed, and raises an alarm", async () => {
  world.use("t3", 4_000);
  inMinutes(90);
  await world.close("t3");
  world.advance(35 * day);
  await report("t3");
  expect([stateOf(first, "t3"), world.alarms]).toEqual(["lost", [{ reason: "too_old", hour: first }]]);
});

describe("a subscription that has ended", () => {
  beforeEach(async () => {
    await used(5_000);
    await world.local.sdk.subscriptions.cancel(payer.subscriptionId);
  });

  test("takes no usage: what settles after a workspace's end is the platform's loss", async () => {
    world.payers.set("t1", { ...payer, isDeleted: true });
    await report();
    expect([stateOf(), reasons(), world.sent]).toEqual(["lost", ["ended"], []]);
  });

  test("that ended at the provider alone raises an alarm, and the usage waits", async () => {
    await report();
    expect([stateOf(), reasons(), world.sent]).toEqual(["unsent", ["ended"], []]);
  });

  test("raises it also of what is carried alone", async () => {
    const outbox = world.outbox();
    const [open] = await outbox.reports("t1");
    const lease = await outbox.lease("t1", "earlier", { now: world.now, until: world.now + minute });
    if (!lease || !open) throw new Error("nothing to carry");
    await outbox.carry(lease, open, { carried: 5, fraction: 0 });
    await outbox.release(lease);
    await report();
    expect([reasons(), await outbox.count("t1", ["2027-01"])]).toEqual([["ended"], 1]);
  });
});

describe("once a subscription that was ended by hand is made anew", () => {
  /** As the creation's steps do it (subscribing.ts). */
  const renewed = async () => {
    const { id: customerId } = await world.payments.customer({ sub: "owner", email: "owner@acme.example" });
    const insteadOf = payer.subscriptionId;
    const wanted = { customerId, tenantId: "t1", slot: 1, automaticTax: false, insteadOf };
    const { id: subscriptionId } = await world.payments.subscription(wanted);
    world.payers.set("t1", { ...payer, customerId, subscriptionId });
  };
  const runs = async (hours: number) => {
    for (let passed = 0; passed < hours; passed += 2) {
      world.advance(2 * hour);
      await world.close("t1");
      await report();
    }
  };

  test("usage that waited for a new subscription is billed on it, once", async () => {
    await world.local.sdk.subscriptions.cancel(payer.subscriptionId);
    await used(5_000);
    await report();
    expect([stateOf(), reasons()]).toEqual(["unsent", ["ended"]]);
    await renewed();
    await runs(4);
    await used(3_000);
    await runs(4);
    world.local.until("2027-02-05T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(8);
  });

  test("usage that a deleted customer has never paid is billed on the new subscription", async () => {
    await used(5_000);
    await report();
    await world.local.sdk.customers.del(payer.customerId);
    inMinutes(15);
    await report();
    expect([stateOf(), reasons()]).toEqual(["taken", []]);
    await renewed();
    await runs(28);
    expect(stateOf()).toBe("carried");
    world.local.until("2027-02-05T00:00:00Z");
    expect(await world.invoiced("t1")).toBe(5);
  });
});

test("an event that the provider says it did not count is opened again", async () => {
  world.swallows = () => true;
  await used(5_000);
  await report();
  world.swallows = () => false;
  expect(await world.outbox().reopen(`usage-t1-${first}`)).toBe(true);
  expect(stateOf()).toBe("sending");
  world.advance(day + hour);
  await report();
  expect(await counted()).toBe(5);
  expect(await world.outbox().reopen("usage-t1-2027-01-10T09")).toBe(false);
});

test("one who holds the tenant for too long is passed over, and writes no more", async () => {
  await used(5_000);
  const outbox = world.outbox();
  const lease = await outbox.lease("t1", "slow", { now: world.now, until: world.now + 5 * minute });
  if (!lease) throw new Error("no lease");
  await report();
  expect(world.sent).toEqual([]);
  inMinutes(6);
  const [open] = await outbox.reports("t1");
  await report();
  expect(world.sent).toHaveLength(1);
  if (!open) throw new Error("no report");
  await expect(outbox.carry(lease, open, { carried: 5, fraction: 0 })).rejects.toThrow("changed by another run");
});

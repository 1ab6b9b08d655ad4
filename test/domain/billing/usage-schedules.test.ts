// Random schedules of what goes wrong between the ledger and Stripe: in the end its quantity is the ledger's cost times the markup.
import { expect, test } from "@jest/globals";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { BilledUsage } from "../../support/billing/billed-usage.ts";
import { chance } from "../../support/interleaving.ts";
import { sizes } from "../../support/sizes.ts";

const minute = 60_000;
const hour = 60 * minute;
const tenants = ["t1", "t2"];

const lastCost = 500_000_000_000;

type Played = { seed: number; billed: number[]; truth: number[] };

/** Two workspaces of one owner around a month's end, then four days in which nobody calls, then the next month's end. */
async function played(seed: number): Promise<Played> {
  const random = chance(seed);
  const pick = <T>(...all: T[]): T => all[Math.floor(random() * all.length)] as T;
  const world = await BilledUsage.start("2027-01-31T17:20:00Z");
  try {
    world.markup = pick(1, 1.25, 1.003, 0.7);
    const whole_units = random() < 0.2;
    world.local.stripe.configure({
      usage_lag_seconds: pick(0, 0, 1_200, 3 * 3_600, 30 * 3_600),
      grace_seconds: pick(3_600, 72 * 3_600),
      last_value_by: pick("timestamp", "received"),
      drafts_take_usage: pick("until_final", "until_final", "grace"),
      first_hour_counts: random() < 0.7,
      whole_units,
    });
    const late = random() < 0.3;
    await world.subscribe("t1", 1);
    if (!late) await world.subscribe("t2", 2);
    // A call is 30 tokens.
    const granted = pick(0, 50, 290, 10_000);
    for (const tenant of tenants) world.grant(tenant, granted);
    const costs = new Map<string, Map<string, number>>(tenants.map((tenant) => [tenant, new Map()]));
    const corrections: { at: number; row: LedgerRow; cost: number }[] = [];
    const outage = { from: world.now + random() * 12 * hour, until: 0 };
    outage.until = outage.from + pick(2 * hour, 2 * hour, 30 * hour);
    let isCalm = false;
    world.disturb = (call, _when) => {
      if (isCalm) return;
      const isDown = call !== "store" && world.now >= outage.from && world.now < outage.until;
      if (isDown || random() < (call === "store" ? 0.01 : 0.08)) {
        throw new Refusal(call === "store" ? "store_unavailable" : "payments_unavailable", "lost");
      }
    };
    const swallowed = pick(0, 0, 0.1);
    world.swallows = () => !isCalm && random() < swallowed;
    const run = async () => {
      for (const tenant of tenants) {
        await world.close(tenant).catch(() => undefined);
        const runs = random() < 0.2 ? 2 : 1;
        const one = () =>
          world
            .reporting()
            .tenant(tenant)
            .catch(() => undefined);
        await Promise.all(Array.from({ length: runs }, one));
      }
      for (const one of corrections.splice(0)) {
        if (one.at <= world.now) await world.correct(one.row, one.cost).catch(() => false);
        if (world.row(one.row)?.provisional) corrections.push(one);
      }
    };
    for (let round = 0; round < 11; round++) {
      for (const tenant of tenants) {
        for (let index = 0; index < 3; index++) {
          if (random() < 0.3) continue;
          const bound = 1 + Math.floor(random() * 9_000_000_000);
          const name = `${tenant}-${round}-${index}`;
          const kind = random();
          const row = world.use(tenant, bound, {
            request_id: name,
            ...(kind < 0.15 && { on_credit: true as const }),
            ...(kind > 0.8 && { provisional: true as const }),
          });
          const cost = kind > 0.8 ? Math.floor(random() * (bound + 1)) : bound;
          costs.get(tenant)?.set(name, kind < 0.15 ? 0 : cost);
          if (kind > 0.8) corrections.push({ at: world.now + random() * 40 * hour, row, cost });
        }
      }
      for (let part = 0; part < 2; part++) {
        world.advance(30 * minute);
        await run();
      }
      if (late && round === 6) await world.subscribe("t2", 2);
    }
    for (let step = 0; step < 20; step++) {
      world.advance(pick(hour, 3 * hour, 5 * hour));
      await run();
    }
    isCalm = true;
    // Usage at the end, from which what was corrected downwards can be taken; or none, and it is told.
    for (const tenant of random() < 0.5 ? tenants : []) {
      world.use(tenant, lastCost, { request_id: `${tenant}-last` });
      costs.get(tenant)?.set(`${tenant}-last`, lastCost);
    }
    // A month more than the provider needs, since what a final invoice lacks is on the next one.
    for (const time of ["2027-02-20", "2027-03-01", "2027-04-01", "2027-05-01"]) {
      world.local.until(`${time}T00:10:00Z`);
      for (let step = 0; step < 26; step++) {
        world.advance(3 * hour);
        await run();
      }
    }
    const truth = tenants.map((tenant) => {
      const { tokens, value, spent } = world.paidByCredit(tenant);
      expect([seed, tokens]).toEqual([seed, spent]);
      expect(spent).toBeLessThanOrEqual(granted);
      // There is more usage than that.
      if (granted < 100) expect([seed, spent]).toEqual([seed, granted]);
      const cost = [...(costs.get(tenant)?.values() ?? [])].reduce((sum, one) => sum + one, 0) - value;
      return Number((BigInt(cost) * BigInt(Math.round(world.markup * 1e6))) / 1_000_000_000n);
    });
    const billed = tenants.map(async (tenant, place) => {
      const sum = (await world.invoiced(tenant)) - (await world.overpaid(tenant));
      // Where Stripe bills whole units only, less than one waits for more usage.
      const rest = (truth[place] ?? 0) - sum;
      return whole_units && rest >= 0 && rest < 1_000_000 ? sum + rest : sum;
    });
    return { seed, billed: await Promise.all(billed), truth };
  } finally {
    await world.end();
  }
}

test("Stripe's quantity, less what is kept to be taken back, is the ledger's cost after the free credit, times the markup, to the micro-USD, whatever fails in between", async () => {
  const first = Number(process.env.ARCHWAY_BILLING_FIRST ?? 1);
  for (let seed = first; seed < first + sizes.billings; seed++) {
    const { billed, truth } = await played(seed);
    expect({ seed, billed }).toEqual({ seed, billed: truth });
  }
});

// A random schedule of what goes wrong between the ledger and Stripe.
import { Refusal } from "../../../domain/kernel/refusal.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { chance } from "../interleaving.ts";
import { BilledUsage, type Mutant } from "./billed-usage.ts";
import { Killed } from "./call-faults.ts";

const minute = 60_000;
const hour = 60 * minute;
const tenants = ["t1", "t2"];

const lastCost = 500_000_000_000;

/** By workspace: what all invoices have billed, less what is told as paid too much or lost, and what the ledger says. */
export type Played = {
  seed: number;
  billed: number[];
  truth: number[];
  /** Tokens: what hours' reports say that free credit paid, and what is gone of it. */
  credit: { granted: number; reported: number; spent: number }[];
};

/** Two workspaces of one owner around a month's end, then some days in which nobody calls, then three months' ends. */
export async function played(seed: number, mutant: Mutant = {}): Promise<Played> {
  const random = chance(seed);
  const pick = <T>(...all: T[]): T => all[Math.floor(random() * all.length)] as T;
  const world = await BilledUsage.start("2027-01-31T17:20:00Z");
  try {
    world.mutant = mutant;
    world.markup = pick(1, 1.25, 1.003, 0.7);
    const whole_units = random() < 0.2;
    world.local.stripe.configure({
      usage_lag_seconds: pick(0, 0, 1_200, 3 * 3_600, 30 * 3_600),
      grace_seconds: pick(3_600, 72 * 3_600),
      last_value_by: pick("timestamp", "received"),
      drafts_take_usage: pick("until_final", "until_final", "grace"),
      cancel_leaves: pick("draft", "draft", "final", "nothing"),
      first_hour_counts: random() < 0.7,
      drafts_without_usage: random() < 0.7,
      held_drafts: pick("final_then", "final_then", "final_as_before", "never_final"),
      items_below_zero: random() < 0.7,
      cancel_makes_others: pick("open", "uncollectible"),
      whole_units,
    });
    const late = random() < 0.3;
    await world.subscribe("t1", 1);
    if (!late) await world.subscribe("t2", 2);
    const card = pick(undefined, "4242424242424242", "4000000000000341");
    if (card) await world.addCard(card);
    // A call is 30 tokens.
    const granted = pick(0, 50, 290, 10_000);
    for (const tenant of tenants) world.grant(tenant, granted);
    const costs = new Map<string, Map<string, number>>(tenants.map((tenant) => [tenant, new Map()]));
    const corrections: { at: number; row: LedgerRow; cost: number }[] = [];
    // An outage over the month's end, or near it.
    const outage = { from: world.now + random() * 12 * hour, until: 0 };
    outage.until = outage.from + pick(2 * hour, 2 * hour, 30 * hour);
    let isCalm = false;
    const isKilling = random() < 0.5;
    world.disturb = (call) => {
      if (isCalm) return;
      const isStore = call === "store";
      if (isKilling && random() < (isStore ? 0.005 : 0.03)) throw new Killed();
      const isDown = !isStore && world.now >= outage.from && world.now < outage.until;
      if (isDown || random() < (isStore ? 0.01 : 0.08)) {
        throw new Refusal(isStore ? "store_unavailable" : "payments_unavailable", "lost");
      }
    };
    const swallowed = pick(0, 0, 0.1);
    world.swallows = () => !isCalm && random() < swallowed;
    const early = pick(0, 0.1, 0.5);
    world.isDueEarly = () => !isCalm && random() < early;
    const webhooks = { lost: pick(0, 0.3, 1), doubled: random() < 0.3, reversed: random() < 0.3 };
    const run = async () => {
      for (const tenant of tenants) {
        await world.run(() => world.close(tenant));
        const runs = random() < 0.2 ? 2 : 1;
        const one = () => world.run(() => world.reporting().tenant(tenant));
        await Promise.all(Array.from({ length: runs }, one));
        await world.run(() => world.endBilling(tenant));
      }
      const events = world.takeEvents().filter(() => random() >= webhooks.lost);
      const told = webhooks.doubled ? events.flatMap((one) => [one, one]) : events;
      for (const event of webhooks.reversed ? told.toReversed() : told) await world.run(() => world.webhook(event));
      for (const one of corrections.splice(0)) {
        if (one.at <= world.now) await world.run(() => world.correct(one.row, one.cost));
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
          const isUnheard = kind > 0.8;
          // What is known of a call whose end nobody heard may be less than the truth, and more.
          const known = { cost: Math.floor(random() * (bound + 1)), tokens: 20 };
          const row = world.use(tenant, bound, {
            request_id: name,
            ...(kind < 0.15 && { on_credit: true as const }),
            ...(isUnheard && { provisional: true as const }),
            ...(isUnheard && random() < 0.5 && { known }),
          });
          const cost = isUnheard ? Math.floor(random() * (bound + 1)) : bound;
          costs.get(tenant)?.set(name, kind < 0.15 ? 0 : cost);
          if (isUnheard) corrections.push({ at: world.now + random() * 60 * hour, row, cost });
        }
      }
      for (let part = 0; part < 2; part++) {
        world.advance(30 * minute);
        await run();
      }
      if (late && round === 6) await world.subscribe("t2", 2);
    }
    // One of them may be deleted, with the draft of its last month, and corrections to come.
    const deletedAt = random() < 0.3 ? Math.floor(random() * 20) : undefined;
    for (let step = 0; step < 20; step++) {
      if (step === deletedAt) world.delete("t1");
      world.advance(pick(hour, 3 * hour, 5 * hour));
      await run();
    }
    isCalm = true;
    // Usage at the end, from which what was corrected downwards can be taken; or none, and it is told.
    const used = deletedAt === undefined ? tenants : ["t2"];
    for (const tenant of random() < 0.5 ? used : []) {
      world.use(tenant, lastCost, { request_id: `${tenant}-last` });
      costs.get(tenant)?.set(`${tenant}-last`, lastCost);
    }
    // A month more than the provider needs, since what a final invoice lacks is on the next one.
    for (const time of ["2027-02-20", "2027-03-01", "2027-04-01", "2027-05-01"]) {
      world.local.until(`${time}T00:10:00Z`);
      for (const hours of [0, 1, 3, 12, 24, 32, 6]) {
        world.advance(hours * hour);
        await run();
      }
    }
    const truth = tenants.map((tenant) => {
      const cost = [...(costs.get(tenant)?.values() ?? [])].reduce((sum, one) => sum + one, 0);
      const due = BigInt(cost - world.paidByCredit(tenant).value);
      return Number((due * BigInt(Math.round(world.markup * 1e6))) / 1_000_000_000n);
    });
    const billed = tenants.map(async (tenant, place) => {
      const sum = (await world.invoiced(tenant)) - (await world.overpaid(tenant)) + (await world.lost(tenant));
      // Where Stripe bills whole units only, less than one waits for more usage.
      const rest = (truth[place] ?? 0) - sum;
      return whole_units && rest >= 0 && rest < 1_000_000 ? sum + rest : sum;
    });
    const credit = tenants.map((tenant) => {
      const { tokens, spent } = world.paidByCredit(tenant);
      return { granted, reported: tokens, spent };
    });
    return { seed, billed: await Promise.all(billed), truth, credit };
  } finally {
    await world.end();
  }
}

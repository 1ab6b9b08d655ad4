// Random lives of two callers of one tenant: requests, answers, refusals, deaths and time, checked after every step. The
// same runs go over the accounting in memory and over the real store.
import { expect } from "@jest/globals";
import fc from "fast-check";
import { hourOf } from "../../domain/period.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { LedgerRow, LedgerStore } from "../../domain/spending/ledger.ts";
import type { Admitted } from "../../domain/spending/reservations.ts";
import type { Credit, Spending, SpendingStore } from "../../domain/spending/spending.ts";
import { aCaller, admissionOver, aGrant, asking, aTenant, costing } from "./admissions.ts";
import { FakeTime } from "./fake-time.ts";
import { sound, soundness } from "./memory-accounting.ts";

/** Accounting whose state can be looked at. */
export type OpenAccounting = SpendingStore &
  LedgerStore & {
    of(key: Admitted["key"]): Spending | Promise<Spending>;
    creditOf(tenantId: string): Promise<Credit | undefined>;
    /** The tenant's free credit, in full. */
    grant(tenantId: string): Promise<void>;
  };

const reservationLifeMs = 960_000;

const caller = fc.integer({ min: 0, max: 1 });
const amount = fc.integer({ min: 0, max: 60 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("ask" as const), caller, reservedCost: amount }) },
  // Of what is in flight, the nth from the oldest; costs are shares of the reservedCost.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      nth: fc.nat(9),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("release" as const), nth: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("die" as const), nth: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("settleTwice" as const), nth: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 3_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constant(reservationLifeMs) }) },
);

const settings = fc.record({
  cap: fc.integer({ min: 0, max: 200 }),
  enforcement: fc.constantFrom("reserved" as const, "spent" as const),
  maxInFlight: fc.integer({ min: 1, max: 5 }),
  burst: fc.integer({ min: 1, max: 8 }),
  perMinute: fc.constantFrom(30, 600, 6_000),
  paid: fc.boolean(),
});

type InFlight = { admitted: Admitted; by: number; reservedCost: number };

/** Each value is a function that lives one life over the accounting it is given, whose time is the life's, and checks it. */
export const admissionRuns = fc
  .record({ settings, steps: fc.array(step, { minLength: 1, maxLength: 40 }) })
  .map(({ settings, steps }) => {
    const run = (open: (time: FakeTime) => OpenAccounting) => live(open, settings, steps);
    return Object.assign(run, { [fc.toStringMethod]: () => JSON.stringify({ settings, steps }) });
  });

type Steps = typeof step extends fc.Arbitrary<infer S> ? S[] : never;
type Settings = typeof settings extends fc.Arbitrary<infer S> ? S : never;

let runs = 0;

async function live(open: (time: FakeTime) => OpenAccounting, settings: Settings, steps: Steps): Promise<void> {
  const { cap, enforcement, maxInFlight, burst, perMinute, paid } = settings;
  const run = ++runs;
  const time = new FakeTime();
  const accounting = open(time);
  const start = time.clock();
  const tenantId = `tenant-${run}`;
  await accounting.grant(tenantId);
  const { admission, settlements } = admissionOver(accounting, time);
  const grant = aGrant({
    monthly_budget_usd: cap / 1_000_000_000,
    budget_enforcement: enforcement,
    max_in_flight: maxInFlight,
    rate_limit: { burst, per_minute: perMinute },
  });
  const tenant = aTenant({ tenant_id: tenantId, has_payment_method: paid });
  const callers = [0, 1].map((id) => aCaller({ tenant, callerId: `caller-${id}`, grant }));
  const keys = callers.map(({ callerId }) => ({ tenantId, callerId, month: "2026-11" }));
  const inFlight: InFlight[] = [];
  let largest = 0;

  for (const [index, each] of steps.entries()) {
    if (each.kind === "wait") await time.advance(each.ms);
    else if (each.kind === "ask") await ask(each.caller, each.reservedCost, `${run}-${index}`);
    else if (inFlight.length > 0) await end(each);
    await check();
  }
  await settleTheDead();

  async function ask(by: number, reservedCost: number, requestId: string): Promise<void> {
    const before = await accounting.of(keys[by] as Admitted["key"]);
    // Three of them fill the free credit.
    const bounds = { input: 2_000, output: 1_200 };
    const wanted = asking(requestId, time, { reservedCost, bounds, expiresAt: time.clock() + reservationLifeMs });
    try {
      const admitted = await admission.admit(callers[by] as (typeof callers)[number], wanted);
      inFlight.push({ admitted, by, reservedCost });
      expect(before.spent).toBeLessThan(cap);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const alive = before.reservations.filter(({ expiresAt }) => expiresAt > time.clock());
      // A serial caller is refused only when over, or for coming too fast.
      if (alive.length === 0 && paid) expect(["rate_limited", "budget_exceeded"]).toContain(error.code);
      expect(["rate_limited", "budget_exceeded", "budget_reserved", "concurrency_limited"]).toContain(error.code);
      const after = await accounting.of(keys[by] as Admitted["key"]);
      expect(after.reservations.map((each) => each.requestId)).not.toContain(requestId);
    }
  }

  async function end(each: Exclude<Steps[number], { kind: "wait" | "ask" }>): Promise<void> {
    const [ended] = inFlight.splice(each.nth % inFlight.length, 1) as [InFlight];
    if (each.kind === "die") return;
    if (each.kind === "release") return settlements.release(ended.admitted);
    const cost = Math.floor(ended.reservedCost * (each.kind === "settle" ? each.share : 1));
    await settlements.settle(ended.admitted, costing(cost, 1));
    if (each.kind === "settleTwice") await settlements.settle(ended.admitted, costing(cost, 1));
  }

  async function check(): Promise<void> {
    for (const key of keys) {
      const state = await accounting.of(key);
      expect(soundness(state)).toEqual(sound);
      expect(state.inflight).toBeLessThanOrEqual(maxInFlight);
      largest = Math.max(largest, ...state.reservations.map(({ reservedCost }) => reservedCost), 0);
      if (enforcement === "reserved") expect(state.spent).toBeLessThan(Math.max(1, cap + largest));
    }
  }

  /** When every function is gone for good, the next calls settle what stands. */
  async function settleTheDead(): Promise<void> {
    await time.advance(reservationLifeMs + 60_000);
    for (const key of keys) {
      for (const reservation of (await accounting.of(key)).reservations) await settlements.reclaim(key, reservation);
      const { inflight, committed, spent, reservations } = await accounting.of(key);
      expect({ inflight, reservations, open: committed - spent }).toEqual({ inflight: 0, reservations: [], open: 0 });
      expect((await rowsOf(key.callerId)).reduce((sum, { cost }) => sum + cost, 0)).toBe(spent);
    }
    const credit = await accounting.creditOf(tenantId);
    expect(credit?.committed).toBe(credit?.spent);
  }

  async function rowsOf(callerId: string): Promise<LedgerRow[]> {
    const rows: LedgerRow[] = [];
    for (let hour = start; hour <= time.clock(); hour += 3_600_000) {
      rows.push(...(await accounting.hour(tenantId, hourOf(hour))));
    }
    return rows.filter(({ caller_id }) => caller_id === callerId);
  }
}

// Each guard of an admission's write is needed, and together they are what docs/decisions/0015 allows: judged by the rules as a test says
// them, over random states that the write was made for or met instead.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { heldOf } from "../../../domain/budget/allowance.ts";
import { type Asked, writeOf } from "../../../domain/budget/attempt.ts";
import { type Guard, holds } from "../../../domain/budget/guard.ts";
import { turnOf } from "../../../domain/budget/rate-limit.ts";
import type { Reservation } from "../../../domain/budget/reservation.ts";
import type { Credit, Limits, Spending, SpendingState } from "../../../domain/budget/spending.ts";
import { isAllowed } from "../../support/accounting/single-admission.ts";
import { aReservation } from "../../support/accounting/spending-table.ts";

const nowMicros = 1_000_000_000_000;
const key = { tenantId: "acme", callerId: "dev", month: "2026-11" };
const numRuns = 20_000;
const money = fc.integer({ min: 0, max: 12 });

const states = fc.record({
  spent: money,
  reserved: fc.array(money, { maxLength: 2 }),
  overdraft: fc.option(fc.record({ id: fc.constantFrom("one", "two"), amount: fc.integer({ min: 0, max: 30 }) }), {
    nil: undefined,
    freq: 2,
  }),
  seconds: fc.integer({ min: -2, max: 8 }),
  tatRate: fc.constantFrom("2/60", "2/60", "2/60", "9/60"),
  allowance: fc.integer({ min: 0, max: 30 }),
  window: money,
  own: fc.constantFrom("none", "none", "none", "same", "changed", "tombstone"),
  credit: fc.record({ granted: fc.constantFrom(4, 12), spent: money, reserved: money }),
});
type Situation = typeof states extends fc.Arbitrary<infer T> ? T : never;

const asking = fc.record({
  cap: fc.constantFrom(undefined, 3, 8, 14),
  enforcement: fc.constantFrom<Limits["enforcement"]>("reserved", "reserved", "spent"),
  maxInFlight: fc.integer({ min: 1, max: 8 }),
  windowCap: fc.integer({ min: 0, max: 30 }),
  kind: fc.constantFrom("admit", "overdraw", "ticket", "fill", "fill, overdraw", "pass"),
  amount: fc.integer({ min: 1, max: 8 }),
  onCredit: fc.boolean(),
  /** Another function changed this between the read and the write. */
  outrunIn: fc.constantFrom(
    ...[undefined, "spent", "reserved", "seconds", "tatRate", "allowance", "own"],
    // Alone it seldom takes the room of a call that all else admits.
    ...["overdraft", "overdraft", "overdraft"],
  ),
});
type Asking = typeof asking extends fc.Arbitrary<infer T> ? T : never;

function stateOf({ spent, reserved, overdraft, seconds, own, window, credit, ...state }: Situation): SpendingState {
  const committed = reserved.reduce((sum, amount) => sum + amount, spent);
  const others = reserved.map((amount, place) => aReservation(`o${place}`, { amount }));
  const holder = overdraft && [aReservation(overdraft.id, { amount: overdraft.amount, overdraft: true })];
  const standing =
    own === "same" || own === "changed" ? [aReservation("new", { amount: 0, version: own === "same" ? 0 : 1 })] : [];
  const reservations = [...others, ...(holder ?? []), ...standing];
  const drawn = credit.spent + credit.reserved;
  return {
    spending: {
      ...{ spent, committed, inflight: reservations.length, overdraft: overdraft?.id, reservations },
      ...{ tat: nowMicros + seconds * 1_000_000, tatRate: state.tatRate },
      ...{ allowance: state.allowance, allowanceOf: "owner", windows: { d21: window } },
      tombstones: own === "tombstone" ? [{ requestId: "new", leaseEndsAt: 0 }] : [],
    },
    credit: { granted: credit.granted, spent: credit.spent, committed: drawn, reservations: [] },
  };
}

function askedOf({ cap, enforcement, maxInFlight, windowCap, kind, amount, onCredit }: Asking) {
  const windows = [{ name: "d21", cap: windowCap, title: "today's budget", resetsAt: 0 }];
  const limits: Limits = { cap, enforcement, maxInFlight, rate: { burst: 2, perMinute: 60 }, windows };
  const ticket = kind.startsWith("fill") ? aReservation("new", { amount: 0 }) : undefined;
  // Only where the budget is reserved anybody overdraws.
  const overdraft = kind.endsWith("overdraw") && cap !== undefined && enforcement === "reserved";
  const made = aReservation("new", {
    ...{ amount: kind === "ticket" ? 0 : amount, overdraft, onCredit, version: ticket ? 1 : 0 },
    bounds: { input: amount, output: 0 },
  });
  const asked: Asked = {
    ...{ key, requestId: "new", ticket, limits, hasFreshLimits: true, onCredit, until: 0 },
    isLimited: !onCredit,
  };
  return { asked, reservation: kind === "pass" ? undefined : made };
}

/** The rules, said once more. The write was made for another state, maybe, whose turn it has. */
function mayBeWritten(
  asked: Asked,
  reservation: Reservation | undefined,
  form: string | undefined,
  state: SpendingState,
): boolean {
  const { limits, ticket } = asked;
  const { spending, credit } = state;
  const known = reservation?.onCredit ? state : { spending };
  if (
    !isAllowed({ ...asked, reservation, ...(ticket ? { ticket } : { ticket: undefined as never }) }, known, nowMicros)
  )
    return false;
  if (form && turnOf(spending, limits.rate, { isFresh: true, nowMicros }).form !== form) return false;
  if (!reservation) return true;
  const standing = spending.reservations.find(({ requestId }) => requestId === "new");
  if (ticket ? standing?.version !== ticket.version : standing) return false;
  if (reservation.amount === 0) return true;
  const isWithinWindow = limits.windows?.every(({ name, cap }) => (spending.windows?.[name] ?? 0) < cap);
  const isWithinSlices = !asked.isLimited || heldOf(spending) + reservation.amount <= (spending.allowance ?? 0);
  return isWithinWindow === true && isWithinSlices && credit !== undefined;
}

test("a write takes effect exactly if the rules allow it, and without any one of its guards it would take effect more often", () => {
  const needed = new Set<string>();
  const seen = new Set<string>();
  fc.assert(
    fc.property(states, states, asking, (read, other, each) => {
      const { asked, reservation } = askedOf(each);
      const state = stateOf(read);
      const met = each.outrunIn
        ? stateOf({ ...read, [each.outrunIn]: other[each.outrunIn as keyof Situation], ...truedUp(read, other, each) })
        : state;
      const { guards, creditGuards, turn } = writeOf(asked, reservation, state, { nowMicros });
      const failing = [
        ...failed(guards, met.spending),
        ...failed(creditGuards, met.credit as Credit).map((rule) => `credit's ${rule}`),
      ];
      for (const { rule } of guards) seen.add(rule);
      for (const { rule } of creditGuards) seen.add(`credit's ${rule}`);
      const mayBe = mayBeWritten(asked, reservation, turn?.form, met);
      if (!each.outrunIn) expect(failing.length === 0).toBe(mayBe);
      if (failing.length === 0) expect(mayBe).toBe(true);
      if (failing.length === 1 && !mayBe) needed.add(failing[0] as string);
    }),
    { numRuns },
  );
  // The caller's item has the same reservation as the credit, and is written with it.
  expect([...seen].filter((rule) => !needed.has(rule))).toEqual(["credit's new"]);
});

/** The overdraft of a call that is in the state already can only have become smaller: nothing raises a reservation. */
function truedUp(read: Situation, { overdraft }: Situation, { outrunIn }: Asking): Partial<Situation> {
  if (outrunIn !== "overdraft" || overdraft?.id === undefined || overdraft.id !== read.overdraft?.id) return {};
  return { overdraft: { ...overdraft, amount: Math.min(overdraft.amount, read.overdraft.amount) } };
}

const failed = (guards: readonly Guard[], row: Spending | Credit) =>
  guards.filter((guard) => !holds(guard, row)).map(({ rule }) => rule);

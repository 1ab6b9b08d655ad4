// Each of the adapters' conditional writes with items that it meets: where its condition holds, and where it fails.
import fc from "fast-check";
import {
  creditAdmission,
  creditChange,
  creditCorrection,
  creditSettlement,
} from "../../../adapters/dynamodb/budget/credit-expressions.ts";
import {
  admission,
  change,
  correction,
  moveIn,
  settlement,
  tombstone,
  tombstoneRemoval,
} from "../../../adapters/dynamodb/budget/spending-expressions.ts";
import { storedFallbacks } from "../../../adapters/dynamodb/budget/stored-fallbacks.ts";
import {
  reservationName,
  shortId,
  stored,
  storedTombstone,
} from "../../../adapters/dynamodb/budget/stored-reservation.ts";
import { type Asked, writeOf } from "../../../domain/budget/attempt.ts";
import { isNew } from "../../../domain/budget/guard.ts";
import { creditGuards } from "../../../domain/budget/plan.ts";
import type { TurnForm } from "../../../domain/budget/rate-limit.ts";
import type { Reservation } from "../../../domain/budget/reservation.ts";
import { type Limits, nothingSpent } from "../../../domain/budget/spending.ts";

const key = { tenantId: "acme", callerId: "dev", month: "2026-11" };
const nowMicros = 1_000_000_000;
const cap = 100;

function aReservation(requestId: string, version: number, amount: number, overdraft: boolean): Reservation {
  return {
    ...{ requestId, version, amount, overdraft },
    leaseEndsAt: 80_000,
    admittedAt: 0,
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    bounds: { input: 1_000, output: amount * 50 },
    onCredit: true,
  };
}

/** What is wanted, and what stands: mostly the same request, at the same version. */
const situation = fc.record({
  version: fc.constantFrom(0, 0, 1, 1000),
  amount: fc.constantFrom(0, 10, 50),
  overdraft: fc.boolean(),
  standing: fc.constantFrom("same", "same", "same", "changed", "tombstone", "none"),
  overdrawnBy: fc.constantFrom("nobody", "nobody", "same", "other"),
  totals: fc.option(
    fc.record({
      spent: fc.constantFrom(0, 0, 50, 99, 100),
      committed: fc.constantFrom(0, 0, 50, 90, 99, 100, 120),
      inflight: fc.constantFrom(0, 1, 1, 2),
      tat: fc.constantFrom(0, nowMicros, nowMicros + 500_000, nowMicros + 3_000_000, nowMicros + 90_000_000),
      tat_rate: fc.constantFrom("3/60", "3/60", "1/6000"),
    }),
    { nil: undefined, freq: 8 },
  ),
  form: fc.constantFrom<TurnForm>("idle", "idle", "busy", "impossible", "changed"),
  limits: fc.record<Limits>({
    cap: fc.constantFrom(cap, cap, undefined),
    enforcement: fc.constantFrom("reserved", "reserved", "spent"),
    maxInFlight: fc.constantFrom(2, 3),
    rate: fc.constantFrom({ burst: 3, perMinute: 60 }, { burst: 1, perMinute: 6_000 }),
  }),
});

type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;
type Written = { ExpressionAttributeValues?: object; UpdateExpression: string };

const own = "6f1d7a30-7a4c-4e8f-9a3e-1c2d3e4f5a6b";
const other = "another";

/** The caller's item, or the tenant's credit: the same attributes, other reservations. */
function itemOf({ version, amount, overdraft, standing, overdrawnBy, totals }: Situation, isCredit: boolean) {
  const at = (n: number) =>
    isCredit ? { k: 100, c: "dev", m: "2026-11", x: 5 } : stored(aReservation(own, n, amount, overdraft));
  const reservation = {
    same: { [reservationName(own)]: at(version) },
    changed: { [reservationName(own)]: at(version + 1) },
    tombstone: { [reservationName(own)]: storedTombstone({ requestId: own, leaseEndsAt: 5 }) },
    none: {},
  }[standing];
  const holder = { nobody: {}, same: { overdraft: shortId(own) }, other: { overdraft: shortId(other) } }[overdrawnBy];
  if (!totals) return undefined;
  if (!isCredit) return { ...totals, ...reservation, ...holder };
  return { granted_tokens: 10_000, spent: totals.spent * 100, committed: totals.committed * 190, ...reservation };
}

function writes(update: (situation: Situation) => Written | object, { isCredit = false } = {}) {
  return situation.map((each) => ({ item: itemOf(each, isCredit), update: update(each) }));
}

const wanted = ({ version, amount, overdraft }: Situation) => aReservation(own, version, amount, overdraft);
/** A guess of the bucket that leads to a turn of this form. */
const guessed = {
  idle: { tat: 0 },
  busy: { tat: nowMicros + 1 },
  impossible: { tat: nowMicros + 10_000_000_000 },
  changed: { tat: nowMicros + 1, tatRate: "7/7" },
};
/** The write of a reservation, or of none, as an attempt that guesses so sends it. */
function admissionOf({ form, limits }: Situation, reservation: Reservation | undefined, ticket?: Reservation) {
  const asked: Asked = {
    ...{ key, limits, ticket, requestId: own, onCredit: false, isLimited: false, until: 0 },
    hasFreshLimits: true,
  };
  const state = { spending: { ...nothingSpent, ...guessed[form] } };
  return admission(writeOf(asked, reservation, state, { nowMicros }), 9);
}
const pair = (each: Situation) => {
  const from = wanted(each);
  return { key, from, to: { ...from, version: from.version + 1, amount: 10, leaseEndsAt: 160_000 } };
};
/** A request has none when it is admitted. */
const unmet = (each: Situation): Situation => (each.standing === "same" ? { ...each, standing: "none" } : each);
const admitted = (overdraft: boolean, amount: number) =>
  situation.map((each) => {
    const met = unmet(each);
    const reservation = { ...wanted(met), overdraft, amount };
    return { item: itemOf(met, false), update: admissionOf(met, reservation) };
  });

const ended = (each: Situation) => ({ reservation: wanted(each), cost: 7 });
const zurich = { model: "claude-sonnet-5", region: "eu-central-2", until: 3_600_000 };
const virginia = { ...zurich, region: "us-east-1" };

function withFallbacks(update: (situation: Situation) => Written) {
  const standing = fc.constantFrom([], [zurich], [virginia], [zurich, virginia]);
  return fc.tuple(situation, standing).map(([each, fallbacks]) => ({
    item: { ...itemOf(each, false), ...(fallbacks.length > 0 && { fallbacks: storedFallbacks(fallbacks) }) },
    update: update(each),
  }));
}

export const spendingWrites = {
  "an admission": admitted(false, 10),
  "an overdraft": admitted(true, 50),
  "a ticket": admitted(false, 0),
  "a pass": writes((each) => admissionOf(each, undefined)),
  "a ticket's filling": writes((each) => {
    const { from, to } = pair(each);
    return admissionOf(each, { ...to, overdraft: false }, from);
  }),
  "a ticket's overdraft": writes((each) => {
    const { from, to } = pair(each);
    return admissionOf({ ...each, limits: { ...each.limits, cap } }, { ...to, overdraft: true }, from);
  }),
  "a renewal": writes((each) => change(pair(each))),
  "a move into the budget": writes((each) => moveIn({ ...pair(each), limits: each.limits })),
  "a settlement": writes((each) => settlement({ reservation: wanted(each), cost: 7 })),
  "a settlement that begins a fallback": withFallbacks((each) => settlement({ ...ended(each), begun: zurich })),
  "a settlement that removes a fallback": withFallbacks((each) => settlement({ ...ended(each), ended: [zurich] })),
  "a tombstone": situation.map((each) => {
    const met = unmet(each);
    return { item: itemOf(met, false), update: tombstone(key, { requestId: own, leaseEndsAt: 5 }, 9) };
  }),
  "a tombstone's removal": writes(() => tombstoneRemoval(own)),
  // Its condition is that of the ledger row beside it.
  "a correction": writes(({ form }) => ({
    ...correction(-3),
    ...(form !== "idle" && { ConditionExpression: "attribute_exists(spent) AND attribute_not_exists(overdraft)" }),
  })),
  "a credit's reservation": situation.map((each) => {
    const met = unmet(each);
    const reservation = wanted({ ...met, amount: 10 });
    const guards = [isNew(reservation), ...creditGuards(10_000, 1_500)];
    return { item: itemOf(met, true), update: creditAdmission(key, reservation, guards) };
  }),
  "a credit's renewal": writes(
    (each) => {
      const { from, to } = pair({ ...each, amount: 10 });
      return creditChange(from, { ...to, bounds: { input: 900, output: 10 } });
    },
    { isCredit: true },
  ),
  "a credit's settlement": writes((each) => creditSettlement(wanted({ ...each, amount: 10 }), 700), { isCredit: true }),
  "a credit's correction": writes(() => creditCorrection(-5), { isCredit: true }),
} satisfies Record<string, fc.Arbitrary<{ item: object | undefined; update: object }>>;

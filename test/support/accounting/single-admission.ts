// One reservation asked of the store as it is: written where the rules allow it, and refused by the state where they do not.
import { setTimeout as sleep } from "node:timers/promises";
import { Attempts } from "../../../domain/budget/attempt.ts";
import { mostCommitted } from "../../../domain/budget/plan.ts";
import { impossibleFrom, microsOf, rateName, tolerance } from "../../../domain/budget/rate-limit.ts";
import { creditTokensOf, type Reservation } from "../../../domain/budget/reservation.ts";
import type {
  CappedChangeWrite,
  Limits,
  SpendingKey,
  SpendingState,
  SpendingStore,
  Written,
} from "../../../domain/budget/spending.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";

export type Single = {
  key: SpendingKey;
  limits: Limits;
  /** None for a call that costs nothing. */
  reservation: Reservation | undefined;
  /** The ticket that the reservation fills. */
  ticket?: Reservation;
  hasFreshLimits?: boolean;
  onCredit?: boolean;
};

const notAllowed = { kind: "refuse", refusal: new Refusal("budget_reserved", "not allowed") } as const;

/** The store, with an admission as one write. */
export type SingleStore = Omit<SpendingStore, "admit"> & {
  admit: (single: Omit<Single, "ticket">) => Promise<Written>;
  fill: (write: CappedChangeWrite) => Promise<Written>;
  pass: (single: Omit<Single, "reservation" | "ticket">) => Promise<Written>;
};

/** @param clock of the store, in milliseconds */
export function singly(store: SpendingStore, clock: () => number): SingleStore {
  const admit = async (single: Single) => {
    const { lost: _lost, ...written } = await admitSingle(store, single, clock);
    return written;
  };
  return {
    ...store,
    admit,
    fill: ({ key, limits, from, to }) => admit({ key, limits, reservation: to, ticket: from }),
    pass: (single) => admit({ ...single, reservation: undefined }),
  };
}

/** @param clock of the store, in milliseconds */
export async function admitSingle(
  store: Pick<SpendingStore, "lastSeen" | "read" | "admit">,
  single: Single,
  clock: () => number,
): Promise<Written & { lost: number }> {
  const { key, limits, reservation, ticket, hasFreshLimits = false } = single;
  const attempts = new Attempts({
    spending: store,
    clock,
    pause: (ms) => sleep(ms),
    jitter: () => 0.5 + Math.random(),
  });
  const asked = {
    ...{ key, limits, ticket, hasFreshLimits, isLimited: false },
    requestId: reservation?.requestId,
    onCredit: single.onCredit ?? reservation?.onCredit ?? false,
    until: Number.POSITIVE_INFINITY,
  };
  const { written, spending, credit } = await attempts.run(asked, (state) =>
    isAllowed(single, state, microsOf(clock())) ? { kind: "admit", reservation, isShortened: false } : notAllowed,
  );
  return { written, spending, ...(credit && { credit }), lost: attempts.lost };
}

/** What docs/decisions/0015 asks of a state, said once more and without the plan that chooses among what is allowed. */
export function isAllowed(single: Single, { spending, credit }: SpendingState, nowMicros: number): boolean {
  const { limits, reservation, ticket, hasFreshLimits = false } = single;
  const { cap = Number.POSITIVE_INFINITY, enforcement, maxInFlight, rate } = limits;
  const { spent, committed, inflight, overdraft, tat, tatRate, tombstones } = spending;
  if (spent >= cap || (!reservation && credit && credit.spent >= credit.granted)) return false;
  const isOtherRate = tatRate !== undefined && tatRate !== rateName(rate);
  const hasTurn = isOtherRate
    ? hasFreshLimits || tat <= nowMicros
    : tat <= nowMicros + tolerance(rate) || tat > impossibleFrom(rate, nowMicros);
  if (!ticket && !hasTurn) return false;
  if (!reservation) return true;
  if (tombstones.some(({ requestId }) => requestId === reservation.requestId)) return false;
  if (!ticket && inflight >= maxInFlight) return false;
  const tokens = creditTokensOf(reservation);
  const draws = credit && tokens > 0;
  if (draws && (credit.spent >= credit.granted || credit.committed + tokens > mostCommitted(credit.granted)))
    return false;
  if (enforcement === "spent" || reservation.amount === 0 || limits.cap === undefined) return true;
  return reservation.overdraft ? overdraft === undefined && committed < cap : committed + reservation.amount <= cap;
}

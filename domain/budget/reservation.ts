// A reservation: what one call may cost at most, taken from the caller's budget until the call is settled. It is a lease: who
// holds it renews it, and one that is over is reclaimed.
import type { TokenBounds } from "../catalog/token-usage.ts";

/** How long a reservation stands without a renewal: a dead function blocks its caller no longer (reference, budgets, 5). */
export const leaseMs = 80_000;
/** A lease is renewed at half its time, so that one renewal may be lost. */
export const renewalMs = 40_000;
/** A lease is over for others only after this: clocks differ. */
export const graceMs = 3_000;

export type Reservation = {
  requestId: string;
  /** An upper bound of the call's cost in nano-USD. 0 while the call waits for its turn: a ticket. */
  amount: number;
  /** 1000 x the attempt that made it + its changes: a write that comes late meets another version and does nothing. */
  version: number;
  /** Milliseconds since the epoch. */
  leaseEndsAt: number;
  /** It goes beyond the budget; its amount is then not part of what is committed. One of a caller's may. */
  overdraft: boolean;
  /** Milliseconds; the ledger row goes to this time's hour, the cost to its month. */
  admittedAt: number;
  profile: string;
  region: string;
  /** Upper bounds of its tokens. */
  bounds: TokenBounds;
  /** The bounds together come out of the tenant's free credit. */
  onCredit: boolean;
};

/** Stands where a request gave up while a write of it may still come: it keeps that write from taking effect. */
export type Tombstone = { requestId: string; leaseEndsAt: number };

const attemptSize = 1000;

/** The first version of an attempt, counted from 0. */
export const firstVersion = (attempt: number) => attempt * attemptSize;

export const attemptOf = (version: number) => Math.floor(version / attemptSize);

export function isTicket({ amount }: Pick<Reservation, "amount">): boolean {
  return amount === 0;
}

/** What it holds of the tenant's free credit, in tokens. */
export function creditTokensOf({ onCredit, amount, bounds }: Reservation): number {
  return onCredit && amount > 0 ? bounds.input + bounds.output : 0;
}

/** Whether nobody can be working under it any more. */
export function isOver({ leaseEndsAt }: { leaseEndsAt: number }, now: number): boolean {
  return leaseEndsAt + graceMs < now;
}

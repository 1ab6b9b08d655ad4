// A reservation: the most that one call may cost, taken from the caller's budget until the call is settled. It is a lease: its
// holder renews it, and a reservation whose lease is over is reclaimed.
import type { TokenBounds } from "../catalog/token-usage.ts";
import type { NanoUsd } from "../kernel/money.ts";

/** How long a reservation stands without a renewal: a dead function blocks its caller no longer than this. */
export const leaseMs = 80_000;
/** A lease is renewed at half its time, so that one renewal may be lost. */
export const renewalMs = 40_000;
/** Other functions treat a lease as over only this long after its end, because clocks differ. */
export const graceMs = 3_000;

export type Reservation = {
  requestId: string;
  /** An upper bound of the call's cost in nano-USD. It is 0 for a ticket, while the call waits. */
  amount: number;
  /** 1000 x the attempt that made the reservation + its changes: a write that comes late meets another version and does nothing. */
  version: number;
  /** Milliseconds since the epoch. */
  leaseEndsAt: number;
  /** The reservation goes beyond the budget, and its amount is not part of what is committed. A caller has one such at most. */
  overdraft: boolean;
  /** Milliseconds. The ledger row belongs to this time's hour, and the cost to its month. */
  admittedAt: number;
  profile: string;
  region: string;
  /** Upper bounds of the call's tokens. */
  bounds: TokenBounds;
  /** The cost of the call so far, as far as it is known. An invoice bills this amount if the call's end is never heard. */
  known?: NanoUsd | undefined;
  /** The likely cost of the call, by the windows that count it (spending.ts). The settlement goes into the same windows, whatever the time is then. */
  held?: Readonly<Record<string, NanoUsd>> | undefined;
  /** True if the tenant's free credit pays: then the sum of the bounds is reserved of it. */
  onCredit: boolean;
  /** The platform bills nobody. */
  onPlatform?: boolean | undefined;
};

/** A tombstone stands in the place of a request that gave up while its write may still come. It keeps that write from taking effect. */
export type Tombstone = { requestId: string; leaseEndsAt: number };

const attemptSize = 1000;

/** The first version of an attempt, counted from 0. */
export const firstVersion = (attempt: number) => attempt * attemptSize;

export const attemptOf = (version: number) => Math.floor(version / attemptSize);

export function isTicket({ amount }: Pick<Reservation, "amount">): boolean {
  return amount === 0;
}

/** The tokens that the reservation holds of the tenant's free credit. */
export function creditTokensOf({ onCredit, amount, bounds }: Reservation): number {
  return onCredit && amount > 0 ? bounds.input + bounds.output : 0;
}

/** Whether no function can be working under this lease any more. */
export function isOver({ leaseEndsAt }: { leaseEndsAt: number }, now: number): boolean {
  return leaseEndsAt + graceMs < now;
}

// A caller's spending in one month: what is spent, reserved and in flight, the limits, and the store. Each write is one
// conditional write; docs/decisions/0015 says which, and why they hold together.
import type { NanoUsd } from "../kernel/money.ts";
import { hourMs, minuteMs } from "../kernel/period.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { Guard } from "./guard.ts";
import type { RateLimit, Turn } from "./rate-limit.ts";
import type { Reservation, Tombstone } from "./reservation.ts";

/** Money is integer nano-USD. */
export type Spending = {
  /** The cost of settled calls. */
  spent: number;
  /** The cost of settled calls, with all reservations but the overdraft's. */
  committed: number;
  /** The number of requests that are admitted and not settled, waiting ones included. */
  inflight: number;
  /** The rate limit's state, in microseconds (see rate-limit.ts). */
  tat: number;
  /** The limit that counted `tat` last, by its `rateName`. */
  tatRate?: string | undefined;
  /** Id of the request that goes beyond the budget. */
  overdraft: string | undefined;
  /** Slices drawn of the owner's allowance (allowance.ts) and what was spent before the first of them, and whose; missing for callers who have drawn none. */
  allowance?: number | undefined;
  allowanceOf?: string | undefined;
  /** The cost of the calls in each window, and the likely cost of calls in flight. */
  windows?: Readonly<Record<string, NanoUsd>> | undefined;
  /** The models whose calls go to another region than their own, which was short. */
  fallbacks?: readonly Fallback[] | undefined;
  reservations: Reservation[];
  tombstones: Tombstone[];
};

/** A model's calls go to this region in place of their own. */
export type Fallback = {
  model: string;
  region: string;
  /** Milliseconds, in whole minutes: calls that find their region short together begin one fallback. */
  until: number;
};

/** The part of a tenant's free credit that a call has reserved. */
export type CreditReservation = {
  requestId: string;
  callerId: string;
  month: string;
  tokens: number;
  /** Milliseconds. */
  leaseEndsAt: number;
};

/** A tenant's free credit, in tokens of all kinds together. */
export type Credit = { granted: number; spent: number; committed: number; reservations: CreditReservation[] };

export type SpendingState = {
  spending: Spending;
  /** Set for a tenant that may spend only its free credit. */
  credit?: Credit;
};

export type Limits = {
  /** The monthly budget in nano-USD; undefined for an owner without a grant. */
  cap: number | undefined;
  /** `reserved` counts what calls in flight may cost; `spent` compares only what is spent with the cap. */
  enforcement: "reserved" | "spent";
  maxInFlight: number;
  rate: RateLimit;
  /** Brakes in front of the monthly budget. */
  windows?: readonly Window[] | undefined;
};

/** A part of the month, of which the caller's item has the sum of what its calls will likely cost. */
export type Window = {
  /** Unique in the month, and short: each item has it. */
  name: string;
  cap: NanoUsd;
  /** The budget as a refusal names it, as in "today's budget". */
  title: string;
  /** Milliseconds. */
  resetsAt: number;
};

/** Names the spending item of a caller and a month. */
export type SpendingKey = { tenantId: string; callerId: string; month: string };

/** The owner's allowance, from which the slices of a limited caller come. */
export type AllowanceSource = {
  ownerSub: string;
  /** What the owner may use before the first payment, in nano-USD at list price. */
  trialCap: number;
};

/** A draw of a slice. `spent` is what the caller has spent in the month: a first slice counts from there. */
export type Draw = AllowanceSource & { key: SpendingKey; need: number; spent: number };

/** What the last take-back of an owner's idle slices found (idle-slices.ts). */
export type Stock = {
  /** When the take-back began, in milliseconds. */
  at: number;
  /** The sum that calls in flight had reserved. */
  inFlight: NanoUsd;
};

/** A take-back that is over. `isLast`: nothing was drawn since, and nothing came back. */
export type KnownStock = Stock & { isLast: boolean };

export type DrawOutcome =
  /** `problem`: no answer came, so that the caller may have the slice or not. */
  | { drawn: true; slice: NanoUsd; problem?: Refusal }
  /**
   * Not even the need is left. `stock` is what the last take-back of idle slices found; `takenUntil` is set while a function takes
   * them back, in milliseconds.
   */
  | { drawn: false; left: NanoUsd; stock?: KnownStock | undefined; takenUntil?: number | undefined };

/** The state after a write or, if its condition failed, the state that it met. */
export type Written = SpendingState & { written: boolean };

/** The state that this instance saw last, without a call to the store. Reservations are not part of it. */
export type Seen = SpendingState & {
  /** When the credit was read, in milliseconds. */
  creditSeenAt?: number | undefined;
};

/** A call's one conditional write. */
export type AdmissionWrite = {
  key: SpendingKey;
  /** Undefined for a call that costs nothing. */
  reservation: Reservation | undefined;
  /** Set if the request has a ticket already, which becomes the reservation. */
  ticket: Reservation | undefined;
  /** The call's turn in the rate limit. Who has a ticket has had it. */
  turn: Turn | undefined;
  /** The guards of the caller's item, with those of the turn. */
  guards: readonly Guard[];
  /** The guards of the tenant's free credit, if the reservation draws on it. */
  creditGuards: readonly Guard[];
};

/** `to` has the next version and the changes. */
export type ChangeWrite = { key: SpendingKey; from: Reservation; to: Reservation };

/** A ticket that is filled, or an overdraft that becomes a reservation within the budget. */
export type CappedChangeWrite = ChangeWrite & { limits: Limits };

export type SettlementWrite = {
  key: SpendingKey;
  reservation: Reservation;
  cost: number;
  /** Tokens of all kinds together, for the free credit. */
  tokens: number;
} & FallbackChange;

/** The change that a settlement makes to the caller's fallbacks. One that begins is added, and one that is over is removed: what others write stays. */
export type FallbackChange = {
  begun?: Fallback | undefined;
  ended?: readonly Fallback[] | undefined;
};

export interface SpendingStore {
  /** Reads the present state. */
  read(key: SpendingKey, options: { onCredit: boolean }): Promise<SpendingState>;
  lastSeen(key: SpendingKey): Seen | undefined;
  /**
   * Reserves, overdraws, takes a ticket or fills one, and counts the call in the rate limit and in flight: all of it or nothing. The write is
   * sent once; where it met another's transaction it had no effect and tells nothing of the state.
   * @throws Refusal store_unavailable if no answer came: the write may have taken effect
   */
  admit(write: AdmissionWrite): Promise<Written | "conflict">;
  /**
   * Draws a slice of the owner's allowance: the need, and a little more while there is enough. The owner's row counts it before the
   * caller has it: a function that dies between both loses a slice, which nobody uses.
   * @throws Refusal store_unavailable
   */
  draw(draw: Draw): Promise<DrawOutcome>;
  /** Trues up or renews a reservation. An overdraft stays one. */
  change(write: ChangeWrite): Promise<Written>;
  /** Makes an overdraft a reservation within the budget. */
  moveIn(write: CappedChangeWrite): Promise<Written>;
  /**
   * Turns the reservation into what was spent, credit included, if it stands at this version. The state that is returned has the
   * sums alone, as far as this instance knows them.
   */
  settle(write: SettlementWrite): Promise<Written>;
  /** Puts a tombstone unless the request has a reservation or a tombstone. */
  putTombstone(key: SpendingKey, tombstone: Tombstone): Promise<Written>;
  removeTombstone(key: SpendingKey, requestId: string): Promise<void>;
}

export interface SpendingReader {
  /** Reads the spending of a tenant's callers in a month. No caller may be named twice. @throws Refusal store_unavailable */
  of(tenantId: string, callerIds: readonly string[], month: string): Promise<(callerId: string) => Spending>;
}

/** A caller's spending, or why it could not be read: one unreadable item does not stop the others. */
export type ActiveCaller = { key: SpendingKey } & (
  | {
      spending: Spending;
      /** Milliseconds. The caller has no usage in an earlier hour. */
      firstAdmittedAt: number;
    }
  | { problem: unknown }
);

export interface ActiveCallerStore {
  /** Gives pages in which a tenant's callers follow one another. A caller may be missing for some seconds after its first call. */
  of(month: string, shard: number): AsyncIterable<ActiveCaller[]>;
  /** The same for one tenant. */
  ofTenant(tenantId: string, month: string): AsyncIterable<ActiveCaller[]>;
}

/** A fallback that begins now. @param now in milliseconds */
export function newFallback(model: string, region: string, now: number): Fallback {
  return { model, region, until: now - (now % minuteMs) + hourMs };
}

/** Whether the model's calls go to the region in place of their own. @param now in milliseconds */
export function fallsBack({ fallbacks = [] }: Spending, model: string, region: string, now: number): boolean {
  return fallbacks.some((one) => one.model === model && one.region === region && now < one.until);
}

/** @param now in milliseconds */
export function endedFallbacks({ fallbacks = [] }: Spending, now: number): Fallback[] {
  return fallbacks.filter(({ until }) => until <= now);
}

export const nothingSpent: Spending = {
  spent: 0,
  committed: 0,
  inflight: 0,
  tat: 0,
  overdraft: undefined,
  reservations: [],
  tombstones: [],
};

export function reservationOf({ reservations }: Spending, requestId: string): Reservation | undefined {
  return reservations.find((reservation) => reservation.requestId === requestId);
}

// What one caller spent, reserved and has in flight in one month, the limits that hold for it, and the store of it. Each write
// is one conditional write; which, and why they hold together, is said in docs/storage.md and docs/decisions/0015.
import type { RateLimit } from "./rate-limit.ts";
import type { Reservation, Tombstone } from "./reservation.ts";

/** Money is integer nano-USD. */
export type Spending = {
  /** Settled. */
  spent: number;
  /** Settled and reserved, the overdraft aside. */
  committed: number;
  /** Requests admitted and not settled, waiting ones included. */
  inflight: number;
  /** The rate limit's state, in microseconds (see rate-limit.ts). */
  tat: number;
  /** The limit by which `tat` was counted last, as `rateName` has it. */
  tatRate?: string | undefined;
  /** The request that goes beyond the budget. */
  overdraft: string | undefined;
  reservations: Reservation[];
  tombstones: Tombstone[];
};

/** A call's part of a tenant's free credit, as the credit item has it. */
export type CreditReservation = {
  requestId: string;
  callerId: string;
  month: string;
  tokens: number;
  /** Milliseconds. */
  leaseEndsAt: number;
};

/** A tenant's free credit, in tokens of all kinds alike. */
export type Credit = { granted: number; spent: number; committed: number; reservations: CreditReservation[] };

export type SpendingState = {
  spending: Spending /** For a tenant that spends its free credit only. */;
  credit?: Credit;
};

export type Limits = {
  /** The month's budget; none for an owner without a grant. */
  cap: number | undefined;
  /** `reserved` counts what others in flight may cost; `spent` is the plain check. */
  enforcement: "reserved" | "spent";
  maxInFlight: number;
  rate: RateLimit;
};

/** One caller's spending item of one month. */
export type SpendingKey = { tenantId: string; callerId: string; month: string };

/** The state after a write or, if its condition failed, the state that it met. */
export type Written = SpendingState & { written: boolean };

export type AdmissionWrite = {
  key: SpendingKey;
  limits: Limits;
  /** They were read past every cache: a state that was counted by another rate limit is counted by this one from now on. */
  hasFreshLimits?: boolean | undefined;
  reservation: Reservation;
  nowMicros: number;
};

/** A call that costs nothing takes its turn in the rate limit only. */
export type PassWrite = Omit<AdmissionWrite, "reservation"> & {
  /** It is refused all the same once the tenant's free credit is used up. */
  onCredit: boolean;
};

/** `to` is `from` with the next version and what changes. */
export type ChangeWrite = { key: SpendingKey; from: Reservation; to: Reservation };

/** A ticket, filled by what its call may cost; a reservation that takes over its place in the budget. */
export type CappedChangeWrite = ChangeWrite & { limits: Limits };

export type SettlementWrite = {
  key: SpendingKey;
  reservation: Reservation;
  cost: number;
  /** Of all kinds together, for the free credit. */
  tokens: number;
};

export interface SpendingStore {
  /** What this instance saw last of it, perhaps long ago, and of the credit when; in milliseconds. */
  lastSeen(key: SpendingKey): (SpendingState & { creditSeenAt?: number | undefined }) | undefined;
  /** What is true now. */
  read(key: SpendingKey, options: { onCredit: boolean }): Promise<SpendingState>;
  pass(write: PassWrite): Promise<Written>;
  /**
   * Reserves, overdraws or takes a ticket, as the reservation says, and counts the call in the rate limit and in flight: all
   * of it or nothing. Sent once: a caller who hears no answer tries again under the next attempt.
   * @throws Refusal store_unavailable if it may or may not have taken effect
   */
  admit(write: AdmissionWrite): Promise<Written>;
  /** A ticket gets its amount, within the budget or as the overdraft. */
  fill(write: CappedChangeWrite): Promise<Written>;
  /** True-up and renewal. An overdraft stays one. */
  change(write: ChangeWrite): Promise<Written>;
  /** An overdraft becomes a reservation within the budget. */
  moveIn(write: CappedChangeWrite): Promise<Written>;
  /**
   * Turns the reservation into what was spent, credit included, if it stands at this version. Of the state after it only the
   * sums are told, as far as this instance knows them.
   */
  settle(write: SettlementWrite): Promise<Written>;
  /** Puts a tombstone unless the request has a reservation (or a tombstone). */
  entomb(key: SpendingKey, tombstone: Tombstone): Promise<Written>;
  removeTombstone(key: SpendingKey, requestId: string): Promise<void>;
}

export interface SpendingReader {
  /** What stands now, of a tenant's callers in a month; each of them once. @throws Refusal store_unavailable */
  of(tenantId: string, callerIds: readonly string[], month: string): Promise<(callerId: string) => Spending>;
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

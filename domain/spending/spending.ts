// What one caller spent, reserved and has in flight in one month, the limits that hold for it, and the store of it.
import type { RateLimit } from "./rate-limit.ts";
import type { Reservation } from "./reservation.ts";

/** Money is integer nano-USD. */
export type Spending = {
  /** Settled. */
  spent: number;
  /** Settled and reserved. */
  committed: number;
  /** Requests admitted and not settled. */
  inflight: number;
  /** The rate limit's state, in microseconds (see rate-limit.ts). */
  tat: number;
  reservations: Reservation[];
};

/** A tenant's free credit, in tokens of all kinds alike. */
export type Credit = { granted: number; spent: number; committed: number };

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

export type AdmissionWrite = {
  key: SpendingKey;
  limits: Limits;
  /** None for calls that cost nothing; they take their turn in the rate limit only. */
  reservation: Reservation | undefined;
  /** A call that reserves nothing is refused all the same once the tenant's free credit is used up. */
  needsCredit?: boolean;
  nowMicros: number;
};

/** The state after an admission, or, if it was refused, the state that refused it. */
export type AdmissionResult = { admitted: boolean; spending: Spending; credit: Credit | undefined };

export type Settlement = { key: SpendingKey; reservation: Reservation; cost: number; tokens: number };

export interface SpendingStore {
  /** Reserves, counts the call in the rate limit and in flight: all of it or nothing. Repeating it changes nothing. */
  admit(write: AdmissionWrite): Promise<AdmissionResult>;
  /** Turns a reservation into what was spent, credit included; each part does nothing if the reservation is gone. */
  settle(settlement: Settlement): Promise<void>;
}

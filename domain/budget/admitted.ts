// The facts about a call that an admission to the budget starts from, and those that it ends with.
import type { CrowdPlace } from "./crowd.ts";
import type { Reservation } from "./reservation.ts";
import type { AllowanceSource, Credit, Limits, Spending, SpendingKey } from "./spending.ts";

/** The facts about a call's caller that its budget needs. */
export type AdmissionContext = {
  key: SpendingKey;
  limits: Limits;
  /** Reads the limits as they are now, past every cache. */
  freshLimits: () => Promise<Limits>;
  /** True if the tenant may spend only its free credit. */
  onCredit: boolean;
  /** True if the platform bills nobody. */
  onPlatform?: boolean | undefined;
  /** Set while the owner has to pay before more can be used: the allowance that limits the call. */
  allowance?: AllowanceSource | undefined;
  admittedAt: number;
  /** When the budget starts anew, in milliseconds. */
  resetsAt: number;
};

export type Admitted = {
  key: SpendingKey;
  limits: Limits;
  spending: Spending;
  credit: Credit | undefined;
  /** Undefined for a call that costs nothing. */
  reservation: Reservation | undefined;
  /** True if an earlier attempt of the admission got no answer: it may still take effect. */
  answerLost: boolean;
  /** The call's place among its workspace's calls in flight, if it is counted. */
  place?: CrowdPlace | undefined;
};

export type Reserved = Admitted & { reservation: Reservation };

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
  /** The tenant spends its free credit only. */
  onCredit: boolean;
  /** The platform bills nobody. */
  onPlatform?: boolean | undefined;
  /** For an owner who has no full trust yet. */
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
  /** None for a call that costs nothing. */
  reservation: Reservation | undefined;
  /** An earlier attempt of the admission was not answered, and may still take effect. */
  answerLost: boolean;
  /** The call's place among its workspace's calls in flight, if it is counted. */
  place?: CrowdPlace | undefined;
};

export type Reserved = Admitted & { reservation: Reservation };

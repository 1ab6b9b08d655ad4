// What is asked of steps 11 and 12 for a call, and what is known of it once it is admitted.
import type { Reservation } from "./reservation.ts";
import type { Credit, Limits, Spending, SpendingKey } from "./spending.ts";

export type Admitted = {
  key: SpendingKey;
  limits: Limits;
  spending: Spending;
  credit: Credit | undefined;
  /** None for a call that costs nothing. */
  reservation: Reservation | undefined;
  /** An earlier attempt of the admission was not answered, and may still take effect. */
  answerLost: boolean;
};

export type Reserved = Admitted & { reservation: Reservation };

export type Request = {
  key: SpendingKey;
  limits: Limits;
  /** The limits as they are now, past every cache. */
  freshLimits: () => Promise<Limits>;
  /** The tenant spends its free credit only. */
  onCredit: boolean;
  admittedAt: number;
  /** When the budget starts anew, in milliseconds. */
  resetsAt: number;
};

// Steps 11 and 12 of a proxied call: what it can cost at most is reserved in one conditional write, or the call is refused.
import { Refusal, type RefusalCode } from "../refusal.ts";
import { LimitRefusal, limitRefusal } from "./budget.ts";
import { microsOf } from "./rate-limit.ts";
import type { Reservation } from "./reservation.ts";
import type { AdmissionResult, AdmissionWrite, Limits, Spending, SpendingKey, SpendingStore } from "./spending.ts";

export type Admitted = { key: SpendingKey; limits: Limits; spending: Spending; reservation: Reservation | undefined };
export type Reserved = Admitted & { reservation: Reservation };

export type ReservationDependencies = {
  spending: Pick<SpendingStore, "admit">;
  /** Settles a reservation whose function is gone. */
  reclaim: (key: SpendingKey, reservation: Reservation) => Promise<void>;
  /** Releases a reservation that may or may not have been made. Never rejects. */
  release: (admitted: Pick<Reserved, "key" | "reservation">) => Promise<void>;
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
};

type Request = Pick<Admitted, "key" | "limits" | "reservation"> &
  Pick<AdmissionWrite, "needsCredit"> & { resetsAt: number };

/** Other requests of the same caller can change the state between two tries; after these many the caller is told to wait. */
const maxTries = 5;

/** Refusals that end when another call of the same caller is settled. */
const causedByOthers: RefusalCode[] = ["budget_reserved", "concurrency_limited"];
/**
 * A call is settled after its last byte, by two writes to the store. A caller who asks again at that very moment waits for
 * them, this long each time, instead of being refused for a call that has ended (docs/decisions/0007).
 */
const settlementPauses = [20, 80, 250];

export class Reservations {
  readonly #deps: ReservationDependencies;

  constructor(deps: ReservationDependencies) {
    this.#deps = deps;
  }

  /**
   * A refusal consumes nothing.
   * @param request.resetsAt when the budget starts anew, in milliseconds; for the refusal's words.
   * @throws Refusal budget_exceeded, credit_exhausted, budget_reserved, concurrency_limited or rate_limited.
   */
  async reserve(request: Request): Promise<Admitted> {
    let decision = await this.#decide(request);
    for (const milliseconds of settlementPauses) {
      if (!(decision instanceof Refusal) || !causedByOthers.includes(decision.code)) break;
      await this.#deps.pause(milliseconds);
      decision = await this.#decide(request);
    }
    if (decision instanceof Refusal) throw decision;
    return decision;
  }

  async #decide({ key, limits, reservation, needsCredit = false, resetsAt }: Request): Promise<Admitted | Refusal> {
    for (let tries = 1; ; tries++) {
      const { admitted, spending, credit } = await this.#admit({
        key,
        limits,
        reservation,
        needsCredit,
        nowMicros: this.#nowMicros(),
      });
      const reclaimed = await this.#reclaimExpired(key, spending);
      if (admitted) return { key, limits, spending, reservation };
      // Others may have gone on while the store took its time: what is true now decides.
      const state = { limits, spending, nowMicros: this.#nowMicros() };
      const refusal = reclaimed
        ? undefined
        : limitRefusal(spending, limits, {
            reservedCost: reservation?.reservedCost,
            nowMicros: state.nowMicros,
            resetsAt,
            credit: credit && { state: credit, tokens: reservation?.creditTokens ?? 0 },
          });
      if (refusal) return refusal.type === "rate_limit_error" ? new LimitRefusal(refusal, state) : refusal;
      if (tries === maxTries) return new LimitRefusal(contended(), state);
    }
  }

  /** A write without an answer may have had its effect; nobody would ever settle its reservation. */
  async #admit(write: AdmissionWrite): Promise<AdmissionResult> {
    try {
      return await this.#deps.spending.admit(write);
    } catch (error) {
      const { key, reservation } = write;
      if (reservation) await this.#deps.release({ key, reservation });
      throw error;
    }
  }

  /** True if something was reclaimed: the state is another then. */
  async #reclaimExpired(key: SpendingKey, { reservations }: Spending): Promise<boolean> {
    const now = this.#deps.clock();
    const expired = reservations.filter(({ expiresAt }) => expiresAt <= now);
    let reclaimed = false;
    try {
      for (const reservation of expired) {
        await this.#deps.reclaim(key, reservation);
        reclaimed = true;
      }
    } catch {
      // Others are in the way, or the store fails: the rest is the meter's or the next admission's, and this one's answer stands.
    }
    return reclaimed;
  }

  #nowMicros(): number {
    return microsOf(this.#deps.clock());
  }
}

function contended(): Refusal {
  return new Refusal("rate_limited", "Too many requests of this caller at the same time.", { retryAfterSeconds: 1 });
}

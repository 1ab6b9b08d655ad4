// A reservation's lease while its call runs: it is renewed, and trued up once the model host has counted the input. The writes go
// one at a time beside the answer, and settling waits for the last one.
import type { Log } from "../kernel/log.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { Reserved } from "./admitted.ts";
import { leaseMs, type Reservation, renewalMs } from "./reservation.ts";
import type { Settleable } from "./settlement.ts";
import { reservationOf, type SpendingStore } from "./spending.ts";

/** A true-up that frees less than this share of the cap is not worth a write. */
const worthwhileShare = 0.01;

/** The changes of a true-up. A renewal has none: it takes the reservation as it is when the write is made. */
type Change = Partial<Pick<Reservation, "amount" | "bounds">>;

export type LeaseDependencies = {
  spending: Pick<SpendingStore, "change" | "moveIn">;
  log: Pick<Log, "problem">;
  clock: () => number;
  /** Calls `act` once, after so many milliseconds. Returns a function that cancels it. */
  schedule: (milliseconds: number, act: () => void) => () => void;
};

export class Lease {
  readonly #deps: LeaseDependencies;
  readonly #admitted: Reserved;
  readonly #known: () => NanoUsd | undefined;
  #reservation: Reservation;
  #place: Pick<Reservation, "profile" | "region">;
  #isGone = false;
  #hasEnded = false;
  #writes: Promise<void> = Promise.resolve();
  #cancelRenewal: () => void = () => {};

  /** @param known what the call has cost so far, which every write notes */
  constructor(deps: LeaseDependencies, admitted: Reserved, known: () => NanoUsd | undefined = () => undefined) {
    this.#deps = deps;
    this.#admitted = admitted;
    this.#known = known;
    this.#reservation = admitted.reservation;
    const { profile, region } = admitted.reservation;
    this.#place = { profile, region };
    this.#renewLater();
  }

  /** Lowers the reservation to what the call can cost now. An overdraft moves into the budget if it fits by now. */
  trueUp(amount: number, inputTokens: number): void {
    const { bounds, amount: reserved, overdraft } = this.#reservation;
    const to = {
      amount: Math.min(amount, reserved),
      bounds: { ...bounds, input: Math.min(inputTokens, bounds.input) },
    };
    if (overdraft || this.#isWorthwhile(to)) this.#write(to);
  }

  /** Notes that the call goes to another region than was reserved. The next write has it, and what is settled. */
  moveTo(place: Pick<Reservation, "profile" | "region">): void {
    this.#place = place;
  }

  /** Ends the lease, and gives what is to be settled once the last write is done. */
  async end(): Promise<Settleable> {
    this.#hasEnded = true;
    this.#cancelRenewal();
    await this.#writes;
    const { key, answerLost } = this.#admitted;
    return { key, reservation: { ...this.#reservation, ...this.#place }, isOld: this.#isGone, answerLost };
  }

  #isWorthwhile({ amount, bounds }: Pick<Reservation, "amount" | "bounds">): boolean {
    const { limits, credit } = this.#admitted;
    const { reservation } = this.#admitted;
    const freed = reservation.amount - amount;
    const freedTokens = reservation.bounds.input - bounds.input;
    const ofBudget =
      limits.cap !== undefined && limits.enforcement === "reserved" && freed > limits.cap * worthwhileShare;
    return ofBudget || (credit !== undefined && freedTokens > credit.granted * worthwhileShare);
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#deps.schedule(renewalMs, () => {
      this.#write({});
      this.#renewLater();
    });
  }

  #write(change: Change): void {
    this.#writes = this.#writes.then(() => (this.#hasEnded || this.#isGone ? undefined : this.#change(change)));
  }

  /** Never rejects: the next renewal writes what this one could not, and settling takes the reservation that stands. */
  async #change(change: Change): Promise<void> {
    try {
      if (this.#reservation.overdraft && (await this.#moveIn(change))) return;
      const to = this.#next(change);
      const { key } = this.#admitted;
      this.#adopt(await this.#deps.spending.change({ key, from: this.#reservation, to }));
    } catch (error) {
      const { key, reservation } = this.#admitted;
      const facts = { tenant_id: key.tenantId, request_id: reservation.requestId };
      this.#deps.log.problem("A lease was not written", facts, error);
    }
  }

  /** @returns false for an overdraft that does not fit into the budget yet */
  async #moveIn(change: Change): Promise<boolean> {
    const { key, limits } = this.#admitted;
    const to = { ...this.#next(change), overdraft: false };
    this.#adopt(await this.#deps.spending.moveIn({ key, limits, from: this.#reservation, to }));
    return this.#isGone || !this.#reservation.overdraft;
  }

  #next(change: Change): Reservation {
    const { version } = this.#reservation;
    const known = this.#known();
    return {
      ...this.#reservation,
      ...this.#place,
      ...change,
      ...(known !== undefined && { known }),
      version: version + 1,
      leaseEndsAt: this.#deps.clock() + leaseMs,
    };
  }

  /** Takes the reservation that stands after a write. If none stands, the lease was thought over and its bound is booked. */
  #adopt({ spending }: Awaited<ReturnType<SpendingStore["change"]>>): void {
    const standing = reservationOf(spending, this.#reservation.requestId);
    if (standing) this.#reservation = standing;
    else this.#isGone = true;
  }
}

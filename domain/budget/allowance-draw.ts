// A call's draws on its owner's allowance. A draw that is refused takes back what other callers hold idle and is tried again; what
// only calls in flight hold, the call waits for.
import { maxAttempts } from "../kernel/optimistic.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { affordable, allowanceUsedUp, roomOf, sliceGuards } from "./allowance.ts";
import type { Guard } from "./guard.ts";
import type { IdleSlices } from "./idle-slices.ts";
import { reservedByOthers } from "./limit-refusal.ts";
import { type AdmissionRequest, floorOf } from "./plan.ts";
import type { AllowanceSource, DrawOutcome, Spending, SpendingKey, SpendingStore } from "./spending.ts";

export type AllowanceDependencies = {
  spending: Pick<SpendingStore, "draw">;
  idleSlices: Pick<IdleSlices, "takeBack">;
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
};

/** A call that waits for calls in flight relies on a take-back of the last second, so that those who wait do not all look. */
const sharedMs = 1_000;
/** Where nothing was in flight, and nothing was drawn since, for so long nobody looks again: who goes on calling costs the store one read. */
const usedUpMs = 10_000;
/** A draw waits this long, each time, for the take-back of another function. */
const takeBackPausesMs = [40, 120, 360];
/** After so many slices without an answer the store counts as unavailable: each may be lost to the owner. */
const mostProblems = 2;
/** So often a call is lowered to what is left and loses that to another call; then it waits. */
const mostLost = maxAttempts;

type Asking = { key: SpendingKey; request: AdmissionRequest; need: number; spending: Spending };

export class AllowanceDraw {
  readonly #deps: AllowanceDependencies;
  readonly #source: AllowanceSource | undefined;
  /** The `max_tokens` that the allowance pays at present; undefined for all that the call asks for. */
  #maxTokens: number | undefined;
  #isWaiting = false;
  #draws = 0;
  #pauses = 0;
  #lost = 0;
  /** When the allowance refused the call first since its last draw. */
  #refusedAt: number | undefined;
  #problems: Refusal[] = [];

  constructor(deps: AllowanceDependencies, source: AllowanceSource | undefined) {
    this.#deps = deps;
    this.#source = source;
  }

  /** Whether the last draw was refused because calls in flight hold the rest. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** The call with as much of an answer as the allowance pays. */
  affordable(request: AdmissionRequest): AdmissionRequest {
    return this.#maxTokens === undefined ? request : { ...request, maxTokens: this.#maxTokens };
  }

  /** The guards of the caller's slices for a reservation of this amount; none if no allowance limits the caller. */
  guards(amount: number, spending: Spending): Guard[] {
    return this.#source ? sliceGuards(spending, amount) : [];
  }

  /**
   * Draws the need, or decides for how much of an answer to draw next.
   * @param asking.request as the caller asked
   * @returns undefined if the call is to be decided again; the refusal of a call that has to wait, if it can wait no more
   * @throws Refusal cap_reached, store_unavailable
   */
  async draw(asking: Asking): Promise<Refusal | undefined> {
    const { key, need, spending } = asking;
    // Slices whose answers were lost are not there: the store is at fault, and not the allowance.
    const problem = this.#problems[mostProblems - 1];
    if (problem) throw problem;
    if (!this.#source) return undefined;
    const outcome = await this.#deps.spending.draw({ ...this.#source, key, need, spent: spending.spent });
    if (!outcome.drawn) return this.#refused(this.#source.ownerSub, outcome, asking);
    if (outcome.problem) this.#problems.push(outcome.problem);
    this.#isWaiting = false;
    this.#refusedAt = undefined;
    this.#draws += 1;
    // Others took back each slice before the call could use it.
    return this.#draws > maxAttempts ? this.#waits() : undefined;
  }

  async #refused(
    ownerSub: string,
    refused: DrawOutcome & { drawn: false },
    { request, spending }: Asking,
  ): Promise<Refusal | undefined> {
    const isLost = this.#maxTokens !== undefined;
    this.#maxTokens = undefined;
    const found = await this.#found(ownerSub, refused);
    if (!found) {
      const pauseMs = takeBackPausesMs[this.#pauses++];
      if (pauseMs === undefined) return this.#waits();
      await this.#deps.pause(pauseMs);
      return undefined;
    }
    // The whole answer is asked for again before a lower one is.
    if (found.freed > 0 || (isLost && this.#lost++ < mostLost)) return undefined;
    if (isLost) return this.#waits();
    const spendable = roomOf(spending) + refused.left;
    const isHeld = !found.isCurrent || affordable(request, spendable + found.inFlight) !== undefined;
    this.#maxTokens = affordable(request, spendable, isHeld && found.inFlight > 0 ? floorOf(request) : undefined);
    if (this.#maxTokens !== undefined) return undefined;
    if (isHeld) return this.#waits();
    throw allowanceUsedUp();
  }

  /**
   * What a take-back found that began after the refusal; undefined while another function takes back. What an earlier one found says
   * nothing of calls that have ended since.
   */
  async #found(ownerSub: string, { stock, takenUntil = 0 }: DrawOutcome & { drawn: false }) {
    const now = this.#deps.clock();
    this.#refusedAt ??= now;
    if (stock) {
      const isStill = stock.isLast && stock.inFlight === 0 && now - stock.at < usedUpMs;
      const isCurrent = isStill || (!this.#isWaiting && stock.at > this.#refusedAt);
      if (isCurrent || (this.#isWaiting && now - stock.at < sharedMs)) return { ...stock, freed: 0, isCurrent };
    }
    const found = takenUntil > now ? undefined : await this.#deps.idleSlices.takeBack(ownerSub);
    return found && { ...found, isCurrent: true };
  }

  #waits(): Refusal {
    this.#isWaiting = true;
    return reservedByOthers("what the workspace's owner may leave unpaid");
  }
}

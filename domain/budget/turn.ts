// A call's wait for its budget's turn: a place among those who wait, and longer and longer pauses until it is over.
import { leaseMs } from "./reservation.ts";
import type { WaitingRoom } from "./waiting-room.ts";

export type TurnDependencies = {
  waitingRoom: WaitingRoom;
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
  /** From 0.5 to 1.5: those who wait do not come back together. */
  jitter: () => number;
};

/** Longer than nine of ten answers take; CloudFront cuts at 120 s (reference, budgets, 5). */
export const waitMs = 45_000;
const firstPause = 50;
const longestPause = 1_000;
/**
 * A call is settled after its last byte, by two writes to the store. A caller who asks again at that very moment waits for
 * them, this long each time, instead of being refused for a call that has ended (docs/decisions/0007).
 */
const settlementPauses = [20, 80, 250];

export class Turn {
  readonly #deps: TurnDependencies;
  readonly #tenantId: string;
  readonly #requestId: string;
  readonly #ends: number;
  readonly #settlementPauses = [...settlementPauses];
  #isInRoom = false;
  #pause = firstPause;

  constructor(deps: TurnDependencies, tenantId: string, requestId: string) {
    this.#deps = deps;
    this.#tenantId = tenantId;
    this.#requestId = requestId;
    this.#ends = deps.clock() + waitMs;
  }

  isOver(): boolean {
    return this.#deps.clock() > this.#ends;
  }

  /** False if as many wait as may. */
  async enter(): Promise<boolean> {
    const { waitingRoom } = this.#deps;
    this.#isInRoom ||= await waitingRoom
      .enter(this.#tenantId, this.#requestId, this.#ends + leaseMs)
      .catch(() => false);
    return this.#isInRoom;
  }

  /** A place that is not given back is free again at its time. */
  async leave(): Promise<void> {
    if (!this.#isInRoom) return;
    this.#isInRoom = false;
    await this.#deps.waitingRoom.leave(this.#tenantId, this.#requestId).catch(() => {});
  }

  /** Until the state is worth another look. */
  async pause(): Promise<void> {
    await this.#deps.pause(this.#pause * this.#deps.jitter());
    this.#pause = Math.min(longestPause, this.#pause * 2);
  }

  async pauseShortly(): Promise<void> {
    await this.#deps.pause(firstPause * this.#deps.jitter());
  }

  /** False once those who only settle have had their time. */
  async awaitSettlements(): Promise<boolean> {
    const milliseconds = this.#settlementPauses.shift();
    if (milliseconds === undefined) return false;
    await this.#deps.pause(milliseconds);
    return true;
  }
}

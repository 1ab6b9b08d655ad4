// How a call waits for its budget: it takes a place in its tenant's waiting room, and pauses longer each time that it has
// looked in vain.

/**
 * A call that waits occupies a function while it waits. Each tenant has a room with so many places, and no tenant's waiting
 * calls take a place from another's.
 */
export interface WaitingRoom {
  /** False if the tenant's room is full. @param until when the place is free again at the latest, in milliseconds */
  enter(tenantId: string, requestId: string, until: number): Promise<boolean>;
  leave(tenantId: string, requestId: string): Promise<void>;
}

export type WaitingDependencies = {
  waitingRoom: WaitingRoom;
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
  /** A random factor from 0.5 to 1.5 for pauses, so that waiting calls do not come back together. */
  jitter: () => number;
};

/** Counted from the call's arrival. Nine of ten answers take less than this; what stands between cuts a request without an answer at 60 s. */
export const waitMs = 45_000;
/** A call gives its place back at the end of its wait. The place of a function that died is free this much later. */
const graceMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;
/**
 * A call is settled after its last byte, by two writes to the store. A caller who asks again at that very moment waits for
 * them, this long each time, instead of being refused for a call that has ended (docs/decisions/0007).
 */
const settlementPausesMs = [20, 80, 250];

export class Waiting {
  readonly #deps: WaitingDependencies;
  readonly #tenantId: string;
  readonly #requestId: string;
  readonly #endsAt: number;
  #isInRoom = false;
  #pauseMs = firstPauseMs;
  #settlementPauses = 0;

  /** @param request undefined for a call that takes no place */
  constructor(
    deps: WaitingDependencies,
    tenantId: string,
    request: { requestId: string; arrivedAt?: number | undefined } | undefined,
  ) {
    this.#deps = deps;
    this.#tenantId = tenantId;
    this.#requestId = request?.requestId ?? "";
    this.#endsAt = (request?.arrivedAt ?? deps.clock()) + waitMs;
  }

  isOver(): boolean {
    return this.#deps.clock() > this.#endsAt;
  }

  /** Takes a place in the tenant's waiting room; returns false if it is full. */
  async enter(): Promise<boolean> {
    const { waitingRoom } = this.#deps;
    const until = this.#endsAt + graceMs;
    this.#isInRoom ||= await waitingRoom.enter(this.#tenantId, this.#requestId, until).catch(() => false);
    return this.#isInRoom;
  }

  /** Gives the place back. If the store does not answer, the place is free again when its time is over. */
  async leave(): Promise<void> {
    if (!this.#isInRoom) return;
    this.#isInRoom = false;
    await this.#deps.waitingRoom.leave(this.#tenantId, this.#requestId).catch(() => {});
  }

  /** Pauses until the state is worth another look. */
  async pause(): Promise<void> {
    await this.#deps.pause(this.#pauseMs * this.#deps.jitter());
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
  }

  /** Gives calls that have ended the time to be settled. False once they have had it. */
  async awaitSettlement(): Promise<boolean> {
    const pauseMs = settlementPausesMs[this.#settlementPauses++];
    if (pauseMs === undefined) return false;
    await this.#deps.pause(pauseMs);
    return true;
  }
}

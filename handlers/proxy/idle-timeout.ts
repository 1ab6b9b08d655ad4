// A timeout for silence: acts when the model host has sent nothing for too long.

/** Calls `act` after so many milliseconds. Returns what cancels it. */
export type Schedule = (milliseconds: number, act: () => void) => () => void;

/** A schedule by Node's timers. */
export const timer: Schedule = (milliseconds, act) => {
  const started = setTimeout(act, milliseconds);
  return () => clearTimeout(started);
};

type IdleTimeoutOptions = {
  schedule: Schedule;
  clock: () => number;
  milliseconds: number;
  /** The timer calls this once, after a silence of this length. */
  act: () => void;
};

/** A timeout that runs from its creation until `stop`. A restart only reads the clock: the timer is set again when it fires too early. */
export class IdleTimeout {
  readonly #options: IdleTimeoutOptions;
  #heardAt = 0;
  #cancel: () => void = () => {};

  constructor(options: IdleTimeoutOptions) {
    this.#options = options;
    this.begin();
  }

  /** Starts the timeout, also once more after it has acted. */
  begin(): void {
    this.restart();
    this.#wait(this.#options.milliseconds);
  }

  /** Ends a silence: the time is counted from now. */
  restart(): void {
    this.#heardAt = this.#options.clock();
  }

  stop(): void {
    this.#cancel();
  }

  #wait(milliseconds: number): void {
    const { schedule, clock, act } = this.#options;
    this.#cancel = schedule(milliseconds, () => {
      const left = this.#heardAt + this.#options.milliseconds - clock();
      if (left > 0) this.#wait(left);
      else act();
    });
  }
}

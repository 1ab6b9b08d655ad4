// Notices when the model host sends nothing for too long. CloudFront cuts an idle answer too, so the caller is told before.

/** Calls `act` after so many milliseconds; what it returns calls that off. */
export type Schedule = (milliseconds: number, act: () => void) => () => void;

/** The machine's timers. */
export const timer: Schedule = (milliseconds, act) => {
  const started = setTimeout(act, milliseconds);
  return () => clearTimeout(started);
};

type IdleTimeoutOptions = {
  schedule: Schedule;
  clock: () => number;
  milliseconds: number;
  /** Called once, when nothing was heard for so long. */
  act: () => void;
};

/** Runs from when it is made until `stop`. Hearing something costs a look at the clock and no timer. */
export class IdleTimeout {
  readonly #options: IdleTimeoutOptions;
  #heardAt = 0;
  #cancel: () => void = () => {};

  constructor(options: IdleTimeoutOptions) {
    this.#options = options;
    this.begin();
  }

  /** Once more, after it has acted. */
  begin(): void {
    this.restart();
    this.#wait(this.#options.milliseconds);
  }

  /** Something was heard: the time begins anew. */
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

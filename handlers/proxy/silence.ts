// Notices when the model host falls silent. CloudFront cuts an answer after a silence of its own, so the caller is told before.

/** Calls `act` after so many milliseconds; what it gives back calls that off. */
export type Schedule = (milliseconds: number, act: () => void) => () => void;

type SilenceOptions = {
  schedule: Schedule;
  clock: () => number;
  milliseconds: number;
  /** Called once, when nothing was heard for so long. */
  act: () => void;
};

/** Listens from when it is made until `end`. Hearing something costs a look at the clock and no timer. */
export class Silence {
  readonly #is: SilenceOptions;
  #heardAt: number;
  #cancel: () => void = () => {};

  constructor(options: SilenceOptions) {
    this.#is = options;
    this.#heardAt = options.clock();
    this.#wait(options.milliseconds);
  }

  heard(): void {
    this.#heardAt = this.#is.clock();
  }

  end(): void {
    this.#cancel();
  }

  #wait(milliseconds: number): void {
    const { schedule, clock, act } = this.#is;
    this.#cancel = schedule(milliseconds, () => {
      const left = this.#heardAt + this.#is.milliseconds - clock();
      if (left > 0) this.#wait(left);
      else act();
    });
  }
}

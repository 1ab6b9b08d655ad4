// Several stories at once, whose steps come in an order drawn by chance: the same seed gives the same order.

/** Mulberry32. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class Interleaving {
  readonly #random: () => number;
  readonly #waiting: (() => void)[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A story waits here until it is its turn. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Plays all to their end. */
  async play(stories: (() => Promise<void>)[]): Promise<void> {
    let running = stories.length;
    let failure: unknown;
    for (const story of stories) {
      story()
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => {
          running -= 1;
        });
    }
    while (running > 0) {
      const [next] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
      next?.();
      await new Promise(setImmediate);
    }
    if (failure) throw failure;
  }
}

// Random numbers from a seed: the same seed plays the same run.

export class Chance {
  #state: number;

  constructor(seed: number) {
    // The first numbers of neighbouring seeds must not resemble each other.
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** The range includes both ends. */
  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.integer(0, choices.length - 1)] as T;
  }

  /** Picks a value as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    const chosen = choices.find(([weight]) => {
      left -= weight;
      return left < 0;
    });
    return (chosen ?? choices[0])?.[1] as T;
  }

  /** Log-normal: half are below the median. */
  logNormal(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(sigma * normal);
  }
}

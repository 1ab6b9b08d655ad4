// Random numbers from a seed: the same seed plays the same schedule.
import { chance } from "../support/interleaving.ts";

export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = chance(seed);
  }

  between(low: number, high: number): number {
    return low + this.#next() * (high - low);
  }

  /** The range includes both ends. */
  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  happens(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#next() * choices.length)] as T;
  }
}

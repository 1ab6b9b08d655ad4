// A caller's limits as an admission knows them: from a cache at first, and past every cache before it refuses.
import type { Refusal } from "../kernel/refusal.ts";
import type { Limits } from "./spending.ts";

export class CurrentLimits {
  #value: Limits;
  #isFresh = false;
  readonly #read: () => Promise<Limits>;

  constructor(cached: Limits, read: () => Promise<Limits>) {
    this.#value = cached;
    this.#read = read;
  }

  get value(): Limits {
    return this.#value;
  }

  get isFresh(): boolean {
    return this.#isFresh;
  }

  async refresh(): Promise<void> {
    this.#isFresh = true;
    this.#value = await this.#read();
  }

  /** Limits that were changed count at once: the refusal stands only if they are the same past every cache. Asked once. */
  async refuse(refusal: Refusal): Promise<void> {
    if (this.#isFresh) throw refusal;
    const known = this.#value;
    await this.refresh();
    if (JSON.stringify(this.#value) === JSON.stringify(known)) throw refusal;
  }
}

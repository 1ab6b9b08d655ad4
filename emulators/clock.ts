// The clock of a local stack. Every service and every function reads it, so that a test can advance time for all.
import type { Collection } from "./store.ts";

type Kept = { milliseconds: number };

export class Clock {
  /** Shared with the workers: the offset to the machine's time, in milliseconds. */
  readonly shared = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  readonly #offset = new Float64Array(this.shared);
  readonly #kept: Pick<Collection<Kept>, "get" | "put"> | undefined;
  readonly #onAdvance = new Set<() => void>();

  /** @param kept keeps the offset with the data; a restart that turned the clock back would leave the data in the future. */
  constructor(kept?: Pick<Collection<Kept>, "get" | "put">) {
    this.#kept = kept;
    this.#offset[0] = kept?.get("ahead")?.milliseconds ?? 0;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.ahead;
  }

  /** How far the stack's time is ahead of the machine's, in milliseconds. */
  get ahead(): number {
    return this.#offset[0] ?? 0;
  }

  /** Moves time forward for everyone. Time never goes back. */
  advance(milliseconds: number): void {
    this.#offset[0] = this.ahead + Math.max(0, milliseconds);
    this.#kept?.put("ahead", { milliseconds: this.ahead });
    for (const listener of this.#onAdvance) listener();
  }

  /** Calls the listener whenever the time is advanced. The function that it gives back ends that. */
  onAdvance(listener: () => void): () => void {
    this.#onAdvance.add(listener);
    return () => this.#onAdvance.delete(listener);
  }
}

// The one clock of a local stack. Every service and every function reads it, so a test can advance time for all.

export class Clock {
  /** Shared with the workers: the offset to the machine's time, in milliseconds. */
  readonly shared = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  readonly #offset = new Float64Array(this.shared);

  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now() + (this.#offset[0] ?? 0);
  }

  /** Moves time forward for everyone. Time never goes back. */
  advance(milliseconds: number): void {
    this.#offset[0] = (this.#offset[0] ?? 0) + Math.max(0, milliseconds);
  }
}

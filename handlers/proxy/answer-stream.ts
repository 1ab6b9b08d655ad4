// The stream on which a caller gets its answer. A caller that leaves, or reads slowly, delays neither the model host, which
// bills the whole answer, nor the settlement.
import type { Writable } from "node:stream";

/** A write never waits for the caller: an answer is a few megabytes at the most, and the function's time is limited. */
export class AnswerStream {
  readonly #stream: Writable;
  #hasEnded = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Whether the caller has left, or its answer was ended, before everything was written. */
  get isClosed(): boolean {
    return this.#hasEnded || this.#stream.destroyed;
  }

  /** Bytes for a closed stream are dropped. */
  write(bytes: Uint8Array | string): void {
    if (!this.isClosed) this.#stream.write(bytes);
  }

  /** The first end counts. @param last is written before it. */
  end(last?: Uint8Array): void {
    if (this.isClosed) return;
    if (last) this.#stream.write(last);
    this.#hasEnded = true;
    this.#stream.end();
  }
}

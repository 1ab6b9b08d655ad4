// The body of a streamed answer. A reader that goes away, or reads slowly, delays neither the model host, which bills the
// whole answer, nor the settlement.
import { Readable } from "node:stream";

export type BodyEnd = { clientLeft: boolean };

export class StreamedBody extends Readable {
  /** Resolves once everything is produced, read or not; never rejects. */
  readonly ended: Promise<BodyEnd>;
  #cut = false;

  /** @param produce yields what the reader gets, and goes on to its end when nobody reads any more. It may cut the body. */
  constructor(produce: (body: StreamedBody) => AsyncIterable<Uint8Array | string>) {
    super();
    this.ended = this.#pump(produce(this)).then(() => ({
      clientLeft: this.#cut || (this.destroyed && !this.readableEnded),
    }));
  }

  /** Ends the answer here with these bytes; what is produced after them is for the settlement alone. */
  endWith(last: Uint8Array): void {
    if (this.#cut || this.destroyed) return;
    this.#cut = true;
    this.push(last);
    this.push(null);
  }

  /** Puts in what is not produced, between two pieces of what is. */
  insert(bytes: Uint8Array | string): void {
    if (!this.#cut && !this.destroyed) this.push(bytes);
  }

  override _read(): void {
    // Everything is pushed as it comes. An answer is a few megabytes at the most, and waiting for its reader would let the
    // function's time run out before the end is known.
  }

  async #pump(produced: AsyncIterable<Uint8Array | string>): Promise<void> {
    try {
      for await (const bytes of produced) this.insert(bytes);
    } catch (error) {
      this.destroy(error as Error);
    }
    if (!this.#cut && !this.destroyed) this.push(null);
  }
}

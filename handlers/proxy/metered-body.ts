// The body of an answer whose cost is booked after its last byte. A reader that goes away stops neither the model host,
// which bills the whole answer, nor the booking.
import { Readable } from "node:stream";

export class MeteredBody extends Readable {
  /** Resolves once everything is read and booked; never rejects. */
  readonly settled: Promise<void>;
  #wanted: (() => void) | undefined;

  /**
   * @param produce yields what the reader gets, and goes on to its end when nobody reads any more.
   * @param settle is called once, after `produce` ended or threw.
   */
  constructor(produce: AsyncIterable<Uint8Array | string>, settle: (clientLeft: boolean) => Promise<void>) {
    super({ highWaterMark: 64 * 1024 });
    this.settled = this.#pump(produce).then(() => settle(this.destroyed && !this.readableEnded));
  }

  override _read(): void {
    this.#wanted?.();
    this.#wanted = undefined;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wanted?.();
    this.#wanted = undefined;
    done(error);
  }

  async #pump(produce: AsyncIterable<Uint8Array | string>): Promise<void> {
    try {
      for await (const bytes of produce) {
        if (!this.destroyed && !this.push(bytes)) await new Promise<void>((resolve) => (this.#wanted = resolve));
      }
    } catch (error) {
      this.destroy(error as Error);
    }
    if (!this.destroyed) this.push(null);
  }
}

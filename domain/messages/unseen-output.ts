// Output that is written and not shown, estimated by the time that it takes: thinking of which a caller sees a summary or nothing, and an
// answer in one piece before it comes.
import { record } from "../kernel/json.ts";

/**
 * Tokens that a model writes in a second, at the least: the vendor's SDKs expect 128,000 of them within an hour (@anthropic-ai/sdk 1.11.0,
 * `_calculateNonstreamingTimeout`). What was measured of models is faster, so that time bills nobody for more than was written.
 */
export const slowestTokensPerSecond = 128_000 / 3_600;

/** The prompt is read first. Of a call that ends within this time nothing is estimated. */
const readingMs = 10_000;

const hiddenBlocks: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"]);

/** Times are in milliseconds since the epoch. */
export class UnseenOutput {
  #milliseconds = 0;
  /** The beginning of the time that counts, while something is written that nobody sees. */
  #since: number | undefined;
  #lastEventAt: number | undefined;

  /** The whole answer comes in one piece. */
  awaitPiece(sentAt: number): void {
    this.#since = sentAt + readingMs;
  }

  /** Nothing came until the call was given up: it may have ended long before, so that its time tells nothing. */
  giveUp(): void {
    if (this.#lastEventAt === undefined) this.#since = undefined;
  }

  observe(event: unknown, at: number): void {
    const { type, content_block } = record(event);
    const kind = record(content_block).type;
    this.#milliseconds = this.#until(at);
    this.#since = this.#since === undefined || type === "content_block_stop" || type === "message" ? undefined : at;
    if (type === "content_block_start" && hiddenBlocks.has(kind)) {
      // A redacted block comes once it is written.
      if (kind === "redacted_thinking") this.#milliseconds += at - (this.#lastEventAt ?? at);
      this.#since = at;
    }
    this.#lastEventAt = at;
  }

  tokens(at: number): number {
    return Math.floor((this.#until(at) / 1_000) * slowestTokensPerSecond);
  }

  #until(at: number): number {
    return this.#milliseconds + (this.#since === undefined ? 0 : Math.max(0, at - this.#since));
  }
}

// The transmission of the body of an answer: each event at its time, interrupted by a fault if a test asks for one.
import { Readable } from "node:stream";
import type { EventIterator } from "./engine.ts";
import { type Interruption, isException } from "./faults.ts";
import type { ReceivedCall } from "./journal.ts";
import type { MessageEvent } from "./message.ts";
import type { Settings } from "./settings.ts";

/** A failure of the model in the middle of its stream. The caller gets the frame of an exception. */
export class StreamFailure extends Error {
  readonly exception: string;

  constructor(exception: string, message: string) {
    super(message);
    this.exception = exception;
  }
}

/** The form in which an endpoint sends the events of an answer. */
export type Wire = {
  /** The event as it is sent, of its JSON. */
  shown: (json: string) => string;
  encode: (json: string) => Buffer;
  failure: (exception: string, message: string) => Buffer;
};

export type TransmissionOptions = {
  call: ReceivedCall;
  events: EventIterator;
  wire: Wire;
  interruption: Interruption | undefined;
  settings: Settings;
  /** The transmission calls this once, when nothing more is sent or generated. */
  closed: () => void;
};

/**
 * Reads pull events one at a time, so a slow caller slows the generation down. A caller who leaves does not stop the generation: the rest
 * is generated at once and counted.
 */
export class Transmission extends Readable {
  readonly #options: TransmissionOptions;
  readonly #startedAt = performance.now();
  #tokens = 0;
  #waiting: { timer: NodeJS.Timeout; json: string } | undefined;
  #resumed = false;
  #stall: { timer: NodeJS.Timeout | undefined } | undefined;

  constructor(options: TransmissionOptions) {
    super({ highWaterMark: 0 });
    this.#options = options;
  }

  /** Sends the rest as fast as the caller reads, and ends a stall. */
  resumeSending(): void {
    this.#resumed = true;
    const { call } = this.#options;
    if (this.#waiting) {
      clearTimeout(this.#waiting.timer);
      this.#send(this.#waiting.json);
    } else if (call.error === "stall" && !this.destroyed) {
      this.#endStall();
    }
  }

  #endStall(): void {
    clearTimeout(this.#stall?.timer);
    delete this.#options.call.error;
    this._read();
  }

  override _read(): void {
    const { call, events, interruption } = this.#options;
    const interrupted = interruption && !((this.#resumed || this.#stall) && interruption.error === "stall");
    if (interrupted && call.error === undefined && call.chunks.length >= interruption.after) {
      this.#interrupt(interruption);
      return;
    }
    const next = events.next();
    if (next instanceof Promise) next.then(this.#take, this.#fail);
    else this.#take(next);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#waiting?.timer);
    clearTimeout(this.#stall?.timer);
    void this.#drain().then(this.#options.closed);
    callback(error);
  }

  readonly #take = (next: IteratorResult<MessageEvent, void>): void => {
    if (this.destroyed) return;
    if (next.done) {
      this.#finish("complete");
      this.push(null);
      return;
    }
    const event = next.value;
    if (this.#options.interruption?.error === "truncate" && isLast(event)) {
      if (event.type === "whole") this.#send(event.json.slice(0, event.json.length / 2));
      this.#truncate();
      return;
    }
    this.#tokens += event.tokens;
    const { firstByteMs, millisecondsPerToken } = this.#options.settings;
    const due = firstByteMs + this.#tokens * millisecondsPerToken;
    const wait = due > 0 && !this.#resumed ? due - (performance.now() - this.#startedAt) : 0;
    if (wait > 0) this.#waiting = { timer: setTimeout(() => this.#send(event.json), wait), json: event.json };
    else this.#send(event.json);
  };

  readonly #fail = (error: Error): void => {
    if (this.destroyed) return;
    const broken = `The upstream's stream broke off: ${error.message}`;
    const { exception, message } =
      error instanceof StreamFailure ? error : new StreamFailure("modelStreamErrorException", broken);
    this.#finish("failed", exception);
    this.push(this.#options.wire.failure(exception, message));
    this.push(null);
  };

  #send(event: string): void {
    const { call, wire } = this.#options;
    this.#waiting = undefined;
    const json = wire.shown(event);
    call.chunks.push(json);
    this.push(wire.encode(json));
  }

  #interrupt({ error, message, milliseconds }: Interruption): void {
    const { call } = this.#options;
    call.error = error;
    if (isException(error)) {
      this.#countSentTokens();
      this.#fail(new StreamFailure(error, message));
    } else if (error === "garbage") {
      this.#send("this is not JSON");
    } else if (error === "truncate") {
      this.#truncate();
    } else if (error === "break") {
      this.#finish("failed", error);
      this.destroy(new Error("The model host cut the connection, as asked"));
    } else if (error === "stall") {
      // Without an end the next event never comes.
      this.#stall = {
        timer: milliseconds === undefined ? undefined : setTimeout(() => this.#endStall(), milliseconds),
      };
    }
  }

  #truncate(): void {
    this.#finish("failed", "truncate");
    this.push(null);
  }

  /** A failed model costs the tokens that it generated, if its message started. An upstream goes on and is counted whole. */
  #countSentTokens(): void {
    const { call, events } = this.#options;
    if (Symbol.asyncIterator in events) return;
    if (call.chunks.length === 0) delete call.usage;
    else if (call.usage)
      call.usage = { ...call.usage, output_tokens: Math.min(this.#tokens, call.usage.output_tokens) };
  }

  /** The usage of a built-in answer is known from its start, that of an upstream only at its end. */
  async #drain(): Promise<void> {
    const { events } = this.#options;
    try {
      if (Symbol.asyncIterator in events) while (!(await events.next()).done);
    } catch {
      // The reader has left, so nobody is told that the upstream failed.
    }
    this.#finish("aborted");
  }

  #finish(outcome: ReceivedCall["outcome"], error?: string): void {
    const { call } = this.#options;
    if (call.outcome !== "running") return;
    call.outcome = outcome;
    if (error) call.error = error;
  }
}

const isLast = ({ type }: MessageEvent): boolean => type === "message_stop" || type === "whole";

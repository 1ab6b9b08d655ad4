// The model host in a test of the proxy: it plays what the test writes, and keeps the calls.
import { Readable } from "node:stream";
import { countsIn } from "../../../adapters/bedrock/invocation-metrics.ts";
import { observedMessage } from "../../../adapters/bedrock/whole-message.ts";
import {
  type CountingCall,
  type HostEvent,
  type ModelCall,
  type ModelHost,
  ModelHostError,
  type Observe,
  type WholeCall,
} from "../../../domain/messages/model-host.ts";
import { settle } from "../fake-time.ts";

/** Texts as a stream of the model host's, whose events arrive one by one. */
export async function* streamOf(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<HostEvent[]> {
  for await (const text of texts) yield [eventOf(text)];
}

/** A text as an event of Bedrock's. */
export function eventOf(text: string): HostEvent {
  const json = Buffer.from(text);
  return { json, counts: countsIn(json) };
}

/** The answers to calls for which a test plays nothing. */
type Plain = { events: readonly string[]; message: string };

/** Plays what a test writes; by default every call is answered plainly. */
export class PlayedHost implements ModelHost {
  readonly calls: (ModelCall & Partial<CountingCall> & { operation: keyof ModelHost })[] = [];
  play: Partial<ModelHost> = {};
  readonly #plain: Plain;

  constructor(plain: Plain) {
    this.#plain = plain;
  }

  async stream(call: ModelCall, signal: AbortSignal): Promise<AsyncIterable<readonly HostEvent[]>> {
    this.calls.push({ ...call, operation: "stream" });
    return this.play.stream?.(call, signal) ?? streamOf(this.#plain.events);
  }

  async invoke(call: WholeCall, signal: AbortSignal, observe: Observe): Promise<string> {
    this.calls.push({ ...call, operation: "invoke" });
    return observedMessage(await (this.play.invoke?.(call, signal, observe) ?? this.#plain.message), observe);
  }

  async countTokens(call: CountingCall, signal: AbortSignal): Promise<number> {
    this.calls.push({ ...call, operation: "countTokens" });
    return this.play.countTokens?.(call, signal) ?? 42;
  }
}

/** Streams whose events come when a test sends them, once the proxy waits for them. */
export function playGated(host: PlayedHost) {
  const events = new Readable({ objectMode: true, read: () => {} });
  host.play.stream = async (_call, signal) => {
    signal.addEventListener("abort", () =>
      events.destroy(new ModelHostError("timeout", "aborted", { outcomeUnknown: true })),
    );
    return events;
  };
  return {
    async send(...texts: string[]) {
      for (const text of texts) events.push([eventOf(text)]);
      await settle();
    },
    async fail(error: Error) {
      events.destroy(error);
      await settle();
    },
    async end() {
      events.push(null);
      await settle();
    },
  };
}

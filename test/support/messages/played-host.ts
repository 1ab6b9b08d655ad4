// The model host in a test of the proxy: it plays what the test writes, and keeps the calls.

import { countsIn } from "../../../adapters/bedrock/invocation-metrics.ts";
import { observedMessage } from "../../../adapters/bedrock/whole-message.ts";
import type {
  CountingCall,
  HostEvent,
  ModelCall,
  ModelHost,
  Observe,
  WholeCall,
} from "../../../domain/messages/model-host.ts";

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

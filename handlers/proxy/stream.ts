// The model host's stream on its way to the caller: each event leaves as it comes, and is read for its usage.
import { type ModelCall, ModelHostError, modelHostRefusal } from "../../domain/messages/model-host.ts";
import { noteRefusal } from "./call.ts";
import { IdleTimeout } from "./idle-timeout.ts";
import type { InFlightCall } from "./in-flight-call.ts";
import { eventType, sse, sseError } from "./server-sent-events.ts";
import type { ProxyServices } from "./services.ts";
import type { StreamedBody } from "./streamed-body.ts";

/** A stream whose first event is there. */
export type EventStream = { first: Uint8Array; rest: AsyncIterable<Uint8Array> };

/** @throws ModelHostError also for a stream without any event. */
export async function openStream(
  { modelHost }: ProxyServices,
  modelCall: ModelCall,
  signal: AbortSignal,
): Promise<EventStream> {
  const events = (await modelHost.stream(modelCall, signal))[Symbol.asyncIterator]();
  const first = await events.next();
  if (first.done) throw new ModelHostError("broken", "The model host's stream has no events", { outcomeUnknown: true });
  return { first: first.value, rest: { [Symbol.asyncIterator]: () => events } };
}

/** Whether the first event is one of a stream of messages; what begins otherwise can still be an error with a status. */
export function beginsWithEvent({ first }: EventStream): boolean {
  try {
    read(first);
    return true;
  } catch {
    return false;
  }
}

/**
 * Yields each event's bytes. Where the model host's silence would end the answer, a `ping` keeps it open, unless the stack
 * has none (docs/decisions/0009). After a failure the caller gets an `error` event and the body ends, while the stream is read
 * on for its usage as long as it goes.
 */
export async function* relay(
  services: ProxyServices,
  inFlight: InFlightCall,
  { first, rest }: EventStream,
  body: StreamedBody,
): AsyncGenerator<Uint8Array> {
  let ended = false;
  const fail = (error: unknown) => {
    const refusal = modelHostRefusal(error);
    body.endWith(sseError(refusal, inFlight.call.requestId));
    noteRefusal(services, inFlight.call, refusal);
  };
  const { idleMs, pingMs } = services.settings;
  const idleTimeout = new IdleTimeout({
    schedule: services.schedule,
    clock: services.clock,
    milliseconds: pingMs ?? idleMs,
    act: () => {
      if (pingMs === undefined) return fail(new ModelHostError("timeout", "The model host fell silent"));
      body.insert(ping);
      idleTimeout.begin();
    },
  });
  const pass = (bytes: Uint8Array): Uint8Array => {
    idleTimeout.restart();
    try {
      const { type, event, json } = read(bytes);
      inFlight.observe(event);
      ended ||= type === "message_stop";
      return sse(type, json);
    } catch (error) {
      fail(error);
      return nothing;
    }
  };
  try {
    yield pass(first);
    for await (const bytes of rest) yield pass(bytes);
    if (!ended) throw new ModelHostError("broken", "The model host's stream ended early", { outcomeUnknown: true });
  } catch (error) {
    // What follows a whole message changes nothing.
    if (ended) return;
    inFlight.breakOff(error);
    fail(error);
  } finally {
    idleTimeout.stop();
  }
}

/** Reads a stream for its usage alone. */
export async function drain(inFlight: InFlightCall, { first, rest }: EventStream): Promise<void> {
  const observe = (bytes: Uint8Array) => {
    try {
      inFlight.observe(read(bytes).event);
    } catch {
      // An event that cannot be read says nothing of the usage.
    }
  };
  try {
    observe(first);
    for await (const bytes of rest) observe(bytes);
  } catch (error) {
    inFlight.breakOff(error);
  }
}

const nothing = new Uint8Array();

/** As the Messages API writes it. */
const ping = sse("ping", Buffer.from('{"type": "ping"}'));

/** @throws SyntaxError for what is no event of a Messages stream. */
function read(bytes: Uint8Array): { type: string; event: unknown; json: Buffer } {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const event = JSON.parse(json.toString("utf8"));
  return { type: eventType(event), event, json };
}

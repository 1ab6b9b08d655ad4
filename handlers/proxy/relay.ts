// The model host's stream on its way to the caller: each event leaves as it comes, and is read for its usage.
import { type ModelCall, ModelHostError, modelHostRefusal } from "../../domain/messages/model-host.ts";
import { eventType, sse, sseError } from "./events.ts";
import type { MeteredBody } from "./metered-body.ts";
import { patienceMilliseconds, type Running } from "./running.ts";
import { Silence } from "./silence.ts";

/** A stream whose first event is there. */
type Events = { first: Uint8Array; rest: AsyncIterable<Uint8Array> };

/** @throws ModelHostError also for a stream without any event. */
export async function open({ is, signal }: Running, modelCall: ModelCall): Promise<Events> {
  const events = (await is.modelHost.stream(modelCall, signal))[Symbol.asyncIterator]();
  const first = await events.next();
  if (first.done) throw new ModelHostError("broken", "The model host's stream has no events", undefined, true);
  return { first: first.value, rest: { [Symbol.asyncIterator]: () => events } };
}

/** Whether the stream begins as a stream of messages does; one that does not can still be an error with a status. */
export function beginsWell({ first }: Events): boolean {
  try {
    read(first);
    return true;
  } catch {
    return false;
  }
}

/**
 * Yields each event's bytes. After a failure the caller gets an `error` event and the body ends, while the stream is read
 * on for its usage as long as it goes.
 */
export async function* relay(running: Running, events: Events, body: MeteredBody): AsyncGenerator<Uint8Array> {
  const { collector, call, is } = running;
  let ended = false;
  const fail = (error: unknown) => {
    const refusal = modelHostRefusal(error);
    body.cut(sseError(refusal, call.requestId));
    is.telemetry.refused(refusal.code, call.facts);
    // A rejection may quote the prompt.
    if (refusal.status >= 500) is.log.problem("The model host's stream failed", call.facts, error);
  };
  const silence = new Silence({
    schedule: is.schedule,
    clock: is.clock,
    milliseconds: patienceMilliseconds,
    act: () => fail(new ModelHostError("timeout", "The model host fell silent")),
  });
  const pass = (bytes: Uint8Array): Uint8Array => {
    silence.heard();
    try {
      const { type, event, json } = read(bytes);
      collector.feed(event);
      ended ||= type === "message_stop";
      return sse(type, json);
    } catch (error) {
      fail(error);
      return nothing;
    }
  };
  try {
    yield pass(events.first);
    for await (const bytes of events.rest) yield pass(bytes);
    if (!ended) throw new ModelHostError("broken", "The model host's stream ended early", undefined, true);
  } catch (error) {
    // What follows a whole message changes nothing.
    if (ended) return;
    running.failure = error;
    fail(error);
  } finally {
    silence.end();
  }
}

/** Reads a stream for its usage alone. */
export async function drain(running: Running, { first, rest }: Events): Promise<void> {
  const hear = (bytes: Uint8Array) => {
    try {
      running.collector.feed(read(bytes).event);
    } catch {
      // An event that cannot be read says nothing of the usage.
    }
  };
  try {
    hear(first);
    for await (const bytes of rest) hear(bytes);
  } catch (error) {
    running.failure = error;
  }
}

const nothing = new Uint8Array();

/** @throws SyntaxError for what is no event of a Messages stream. */
function read(bytes: Uint8Array): { type: string; event: unknown; json: Buffer } {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const event = JSON.parse(json.toString("utf8"));
  return { type: eventType(event), event, json };
}

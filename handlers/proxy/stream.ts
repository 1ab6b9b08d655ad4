// The model host's stream on its way to the caller: each event leaves as it comes, and is read for its usage.
import { type HostEvent, type ModelCall, ModelHostError, modelHostRefusal } from "../../domain/messages/model-host.ts";
import type { AnswerStream } from "./answer-stream.ts";
import { noteRefusal } from "./call.ts";
import { IdleTimeout } from "./idle-timeout.ts";
import type { CallEnd, InFlightCall } from "./in-flight-call.ts";
import { eventType, sse, sseError } from "./server-sent-events.ts";
import type { ProxyServices } from "./services.ts";

/** Events that arrived together. */
type Events = readonly HostEvent[];

/** A stream whose first events are there. */
export type EventStream = { first: Events; rest: AsyncIterable<Events> };

/** @throws ModelHostError also for a stream without any event. */
export async function openStream(
  { modelHost }: ProxyServices,
  modelCall: ModelCall,
  signal: AbortSignal,
): Promise<EventStream> {
  const arrivals = (await modelHost.stream(modelCall, signal))[Symbol.asyncIterator]();
  const first = await arrivals.next();
  if (first.done) throw new ModelHostError("broken", "The model host's stream has no events", { outcomeUnknown: true });
  return { first: first.value, rest: { [Symbol.asyncIterator]: () => arrivals } };
}

/** Whether the first event is one of a stream of messages; what begins otherwise can still be an error with a status. */
export function beginsWithEvent({ first: [event] }: EventStream): boolean {
  try {
    return event !== undefined && read(event) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Writes each event's bytes; events that arrived together leave together. In the model host's silence a `ping` keeps the answer open, if
 * the stack sends pings (docs/decisions/0103-streams-never-hang.md). After a failure the caller gets an `error` event and the answer
 * ends, while the stream is read on for its usage as long as it goes.
 */
export async function relay(
  services: ProxyServices,
  inFlight: InFlightCall,
  opening: Promise<EventStream>,
  answer: AnswerStream,
): Promise<CallEnd> {
  let isWhole = false;
  let clientLeft = false;
  const fail = (error: unknown) => {
    const refusal = modelHostRefusal(error);
    answer.end(sseError(refusal, inFlight.call.requestId));
    noteRefusal(services, inFlight.call, refusal);
  };
  const { idleMs, pingMs } = services.settings;
  const idleTimeout = new IdleTimeout({
    schedule: services.schedule,
    clock: services.clock,
    milliseconds: pingMs ?? idleMs,
    act: () => {
      if (pingMs === undefined) return fail(new ModelHostError("timeout", "The model host fell silent"));
      answer.write(ping);
      idleTimeout.begin();
    },
  });
  const pass = (events: Events) => {
    idleTimeout.restart();
    const wasWhole = isWhole;
    let passed: Buffer[] = [];
    for (const arrived of events) {
      try {
        const { type, event, json } = read(arrived);
        inFlight.observe(event, arrived.counts);
        isWhole ||= type === "message_stop";
        passed.push(sse(type, json));
      } catch (error) {
        answer.write(Buffer.concat(passed));
        passed = [];
        fail(error);
      }
    }
    if (passed.length > 0) answer.write(passed.length === 1 ? (passed[0] as Buffer) : Buffer.concat(passed));
    if (wasWhole || !isWhole) return;
    // The caller does not wait for the end of the model host's connection.
    clientLeft = answer.isClosed;
    answer.end();
  };
  try {
    const { first, rest } = await opening;
    pass(first);
    for await (const events of rest) pass(events);
    if (!isWhole) throw new ModelHostError("broken", "The model host's stream ended early", { outcomeUnknown: true });
  } catch (error) {
    // A failure after a whole message changes nothing.
    if (!isWhole) {
      fail(error);
      return inFlight.endOf(error);
    }
  } finally {
    idleTimeout.stop();
  }
  return { clientLeft };
}

/** Reads a stream for its usage alone. */
export async function drain(inFlight: InFlightCall, { first, rest }: EventStream): Promise<void> {
  const observe = (events: Events) => {
    for (const arrived of events) {
      try {
        inFlight.observe(read(arrived).event, arrived.counts);
      } catch {
        // An event that cannot be read says nothing of the usage.
      }
    }
  };
  try {
    observe(first);
    for await (const events of rest) observe(events);
  } catch (error) {
    inFlight.breakOff(error);
  }
}

/** A ping as the Messages API writes it. */
export const ping = sse("ping", Buffer.from('{"type": "ping"}'));

/** @throws SyntaxError for what is no event of a Messages stream. */
function read({ json: bytes }: HostEvent): { type: string; event: unknown; json: Buffer } {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const event = JSON.parse(json.toString("utf8"));
  return { type: eventType(event), event, json };
}

// A call that is admitted and on its way: waiting for the model host's first word, answering, and booking at the end.
import { Readable } from "node:stream";
import type { Reserved } from "../../domain/admission.ts";
import type { Price } from "../../domain/catalog/catalog.ts";
import { limitHeaders } from "./limit-headers.ts";
import { mayBeBilled, refusalOfModelHost } from "../../domain/messages/model-host.ts";
import { cost } from "../../domain/catalog/price.ts";
import { originReadTimeoutSeconds } from "../../domain/proxy-limits.ts";
import { microsOf } from "../../domain/spending/rate-limit.ts";
import { errorBody, errorHeaders, type Refusal } from "../../domain/refusal.ts";
import { type Outcome, outcomeAtBounds } from "../../domain/spending/settlement.ts";
import type { UsageCollector } from "../../domain/messages/usage.ts";
import { afterwards } from "./afterwards.ts";
import type { ProxyCall } from "./call.ts";
import type { ProxyDependencies } from "./dependencies.ts";
import { MeteredBody } from "./metered-body.ts";

/** Middy sends longer texts in pieces of this many UTF-16 units, which can cut a character in two. */
const maxTextLength = 16_384;

/** CloudFront waits a little longer than this, for the first byte and between two. */
export const patienceMilliseconds = (originReadTimeoutSeconds - 5) * 1000;

export type Running = {
  is: ProxyDependencies;
  call: ProxyCall;
  price: Price;
  admitted: Reserved;
  collector: UsageCollector;
  firstByteAt: number | undefined;
  /** What ended the model host's answer early. */
  failure: unknown;
  /** Ends the model host's call when the function's time is nearly over. */
  signal: AbortSignal;
  cancelDeadline: () => void;
};

/**
 * Waits for the model host's first word, for as long as CloudFront waits; undefined if it takes longer.
 * @throws Refusal if the model host fails before it. What the call may have cost is booked then.
 */
export async function begin<T>(running: Running, pending: Promise<T>): Promise<T | undefined> {
  const { is } = running;
  try {
    const result = await inTime(running, pending);
    running.firstByteAt = is.clock();
    return result;
  } catch (error) {
    await bookUnanswered(running, error);
    throw refusalOfModelHost(error);
  }
}

/** A whole answer, booked when it has been sent. */
export function wholeAnswer(running: Running, message: string) {
  const body = message.length <= maxTextLength ? message : Readable.from([Buffer.from(message)]);
  return afterwards(answer(running, "application/json", body), () => bookAnswer(running, false));
}

/** An answer that goes on while it is sent, booked when it has ended. */
export function streamedAnswer(running: Running, produce: (body: MeteredBody) => AsyncIterable<Uint8Array>) {
  const body = new MeteredBody(produce, (clientLeft) => bookAnswer(running, clientLeft));
  return afterwards(answer(running, "text/event-stream; charset=utf-8", body), () => body.settled);
}

function answer(running: Running, contentType: string, body: string | Readable) {
  const { admitted, call, is } = running;
  return {
    statusCode: 200,
    headers: {
      "content-type": contentType,
      "cache-control": "no-store",
      "request-id": call.requestId,
      ...limitHeaders(admitted.limits, admitted.spending, microsOf(is.clock())),
    },
    body,
  };
}

/** The caller gets a refusal now; the model host's call goes on, and is booked when `finish` has heard its end. */
export function late(running: Running, refusal: Refusal, finish: () => Promise<unknown>) {
  const { call, is } = running;
  is.telemetry.refused(refusal.code, call.facts);
  is.log.problem(refusal.code, call.facts, refusal.cause ?? refusal);
  const refused = {
    statusCode: refusal.status,
    headers: errorHeaders(refusal, call.requestId),
    body: JSON.stringify(errorBody(refusal.code, refusal.message, call.requestId)),
  };
  return afterwards(refused, async () => {
    try {
      await finish();
    } catch (error) {
      return bookUnanswered(running, error);
    }
    return bookAnswer(running, true);
  });
}

function inTime<T>({ is, call }: Running, pending: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = is.schedule(Math.max(1, call.startedAt + patienceMilliseconds - is.clock()), () => resolve(undefined));
  });
  return Promise.race([pending, late]).finally(() => cancel());
}

/** A refusal of the model host costs nothing. A call of which nobody knows whether it went on is booked at its bounds. */
async function bookUnanswered(running: Running, error: unknown): Promise<void> {
  if (mayBeBilled(error)) return book(running, outcomeAtBounds(running.admitted.reservation));
  running.cancelDeadline();
  return running.is.bookings.release(running.admitted);
}

function bookAnswer(running: Running, clientLeft: boolean): Promise<void> {
  const { admitted, collector, failure, price } = running;
  const hostStopped = failure !== undefined && !mayBeBilled(failure);
  const report = collector.report({ clientLeft, hostStopped });
  return book(running, report ? { ...report, cost: cost(price, report.usage) } : outcomeAtBounds(admitted.reservation));
}

async function book(running: Running, outcome: Outcome): Promise<void> {
  const { is, admitted, call, firstByteAt } = running;
  running.cancelDeadline();
  await is.bookings.book(admitted, outcome);
  is.telemetry.finished(
    { ...call.facts, source: outcome.source },
    {
      ...outcome.usage,
      cost_nano_usd: outcome.cost,
      duration_ms: is.clock() - call.startedAt,
      first_byte_ms: (firstByteAt ?? is.clock()) - call.startedAt,
    },
  );
}

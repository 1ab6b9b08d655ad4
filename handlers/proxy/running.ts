// A call that is admitted and on its way: waiting for the model host's first word, answering, and settlement at the end.
import { Readable } from "node:stream";
import type { Reserved } from "../../domain/admission.ts";
import type { Price } from "../../domain/catalog/catalog.ts";
import { cost } from "../../domain/catalog/price.ts";
import { isBillable, modelHostRefusal } from "../../domain/messages/model-host.ts";
import type { UsageCollector } from "../../domain/messages/usage.ts";
import { errorBody, errorHeaders, type Refusal } from "../../domain/refusal.ts";
import { microsOf } from "../../domain/spending/rate-limit.ts";
import { type Outcome, outcomeAtBounds } from "../../domain/spending/settlement.ts";
import { afterwards } from "./afterwards.ts";
import type { ProxyCall } from "./call.ts";
import { originReadTimeoutSeconds } from "./contract.ts";
import type { ProxyDependencies } from "./dependencies.ts";
import { limitHeaders } from "./limit-headers.ts";
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
 * @throws Refusal if the model host fails before it. What the call may have cost is settled then.
 */
export async function begin<T>(running: Running, pending: Promise<T>): Promise<T | undefined> {
  const { is } = running;
  try {
    const result = await inTime(running, pending);
    running.firstByteAt = is.clock();
    return result;
  } catch (error) {
    await settleUnanswered(running, error);
    throw modelHostRefusal(error);
  }
}

/** A whole answer, settled when it has been sent. */
export function wholeAnswer(running: Running, message: string) {
  const body = message.length <= maxTextLength ? message : Readable.from([Buffer.from(message)]);
  return afterwards(answer(running, "application/json", body), () => settleAnswer(running, false));
}

/** An answer that goes on while it is sent, settled when it has ended. */
export function streamedAnswer(running: Running, produce: (body: MeteredBody) => AsyncIterable<Uint8Array>) {
  const body = new MeteredBody(produce, (clientLeft) => settleAnswer(running, clientLeft));
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

/** The caller gets a refusal now; the model host's call goes on, and is settled when `finish` has heard its end. */
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
      return settleUnanswered(running, error);
    }
    return settleAnswer(running, true);
  });
}

function inTime<T>({ is, call }: Running, pending: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = is.schedule(Math.max(1, call.startedAt + patienceMilliseconds - is.clock()), () => resolve(undefined));
  });
  return Promise.race([pending, late]).finally(() => cancel());
}

/** A refusal of the model host costs nothing. A call of which nobody knows whether it went on is settled at its bounds. */
async function settleUnanswered(running: Running, error: unknown): Promise<void> {
  if (isBillable(error)) return settle(running, outcomeAtBounds(running.admitted.reservation));
  running.cancelDeadline();
  return running.is.settlements.release(running.admitted);
}

function settleAnswer(running: Running, clientLeft: boolean): Promise<void> {
  const { admitted, collector, failure, price } = running;
  const hostStopped = failure !== undefined && !isBillable(failure);
  const report = collector.report({ clientLeft, hostStopped });
  return settle(
    running,
    report ? { ...report, cost: cost(price, report.usage) } : outcomeAtBounds(admitted.reservation),
  );
}

async function settle(running: Running, outcome: Outcome): Promise<void> {
  const { is, admitted, call, firstByteAt } = running;
  running.cancelDeadline();
  await is.settlements.settle(admitted, outcome);
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

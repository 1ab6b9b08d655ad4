// POST /messages: admitted, sent to the model host, answered as it comes, and booked after its last byte.
import type { Context } from "aws-lambda";
import type { Admitted, Caller, Route } from "../../domain/admission.ts";
import type { Price } from "../../domain/catalog.ts";
import { limitHeaders } from "../../domain/limit-headers.ts";
import { bridge, maxTokensOf, parseMessagesBody } from "../../domain/messages-body.ts";
import { type ModelCall, refusalOfModelHost } from "../../domain/model-host.ts";
import { cost, priceAt, upperBound } from "../../domain/price.ts";
import { originReadTimeoutSeconds } from "../../domain/proxy-limits.ts";
import { microsOf } from "../../domain/rate-limit.ts";
import { errorBody, errorHeaders, Refusal } from "../../domain/refusal.ts";
import { inputTokensBound } from "../../domain/token-bound.ts";
import { unbookedMessage } from "../../domain/unbooked.ts";
import { UsageCollector } from "../../domain/usage.ts";
import { callOf, type ProxyCall, type ProxyDependencies } from "./dependencies.ts";
import { eventType, sse, sseError } from "./events.ts";
import { MeteredBody } from "./metered-body.ts";
import type { ProxyEvent } from "./request.ts";

/** Kept of the function's time for booking. */
const settlementMilliseconds = 20_000;
/** A whole answer must begin before CloudFront gives up; this much before it the caller is told to stream instead. */
const wholeAnswerMilliseconds = (originReadTimeoutSeconds - 5) * 1000;
/** How much longer than the function's own end a reservation lives. */
const reservationMarginMilliseconds = 60_000;

/** A call that is admitted and on its way. */
type Running = {
  is: ProxyDependencies;
  call: ProxyCall;
  caller: Caller;
  route: Route;
  price: Price;
  admitted: Admitted;
  collector: UsageCollector;
  startedAt: number;
  firstByteAt: number | undefined;
  /** Ends the model host's call when the function's time is nearly over. */
  signal: AbortSignal;
};

export function messages(is: ProxyDependencies) {
  return async (event: ProxyEvent, context: Context) => {
    const startedAt = is.clock();
    const call = callOf(is, event, context);
    const caller = await is.admission.identify(call.host, call.headers);
    const body = parseMessagesBody(call.body);
    const maxTokens = maxTokensOf(body);
    const route = is.admission.route(caller, body.model, call.region);
    const price = priceOf(route, startedAt);
    const inputBound = inputTokensBound(body, Buffer.byteLength(call.body), route.model.max_input_tokens);
    const outputBound = Math.min(maxTokens, route.model.max_output_tokens);
    const modelCall: ModelCall = {
      identity: { tenantId: caller.tenant.tenant_id, callerId: caller.callerId },
      region: route.region,
      modelId: route.profileId,
      body: bridge(body, route.model, call.headers["anthropic-beta"]),
      headers: call.forwarded,
    };
    const admitted = await is.admission.admit(caller, {
      requestId: call.requestId,
      estimate: {
        cost: upperBound(price, { inputTokensBound: inputBound, maxTokens: outputBound }),
        tokens: inputBound + outputBound,
      },
      expiresAt: startedAt + call.remainingMilliseconds() + reservationMarginMilliseconds,
      model: route.model.id,
      profile: route.profileId,
      region: route.region,
    });
    const running: Running = {
      is,
      call,
      caller,
      route,
      price,
      admitted,
      collector: new UsageCollector({ inputEstimate: inputBound }),
      startedAt,
      firstByteAt: undefined,
      signal: AbortSignal.timeout(Math.max(1, call.remainingMilliseconds() - settlementMilliseconds)),
    };
    return body.stream ? streamed(running, modelCall) : whole(running, modelCall);
  };
}

/** The status is held until the first event, so that a failure before it is an answer of its own. */
async function streamed(running: Running, modelCall: ModelCall) {
  const events = await begin(running, () => firstOf(running, modelCall));
  return answer(running, "text/event-stream; charset=utf-8", relay(running, events));
}

async function firstOf({ is, signal }: Running, modelCall: ModelCall) {
  const events = (await is.modelHost.stream(modelCall, signal))[Symbol.asyncIterator]();
  const first = await events.next();
  return { first, rest: { [Symbol.asyncIterator]: () => events } };
}

type Events = Awaited<ReturnType<typeof firstOf>>;

async function* relay(running: Running, { first, rest }: Events): AsyncGenerator<Uint8Array> {
  const { collector, call } = running;
  let ended = false;
  const pass = (bytes: Uint8Array) => {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const type = eventType(json);
    collector.feed(JSON.parse(json.toString("utf8")));
    ended ||= type === "message_stop";
    return sse(type, json);
  };
  try {
    if (!first.done) yield pass(first.value);
    for await (const bytes of rest) yield pass(bytes);
    if (!ended) throw new Error("The model host's stream ended early");
  } catch (error) {
    yield sseError(refusalOfModelHost(error), call.requestId);
    running.is.log.problem("The model host's stream failed", { request_id: call.requestId }, error);
  }
}

async function whole(running: Running, modelCall: ModelCall) {
  const pending = running.is.modelHost.invoke(modelCall, running.signal);
  const message = await begin(running, () => withinOriginTimeout(pending));
  if (message) return answer(running, "application/json", once(running, message));
  return tooSlow(running, pending);
}

async function* once({ collector }: Running, message: Uint8Array): AsyncGenerator<Uint8Array> {
  collector.feed(JSON.parse(Buffer.from(message).toString("utf8")));
  yield message;
}

/** Undefined if the answer takes longer than CloudFront waits. */
async function withinOriginTimeout(pending: Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), wholeAnswerMilliseconds);
  });
  return Promise.race([pending, late]).finally(() => clearTimeout(timer));
}

/** The caller gets its refusal now; the model host's call goes on, and is booked when it ends. */
function tooSlow(running: Running, pending: Promise<Uint8Array>) {
  const { requestId } = running.call;
  const refusal = new Refusal(
    "upstream_too_slow",
    "The answer takes longer than a whole answer may: send stream: true.",
  );
  async function* body() {
    yield JSON.stringify(errorBody(refusal.code, refusal.message, requestId));
  }
  const settle = async () => {
    const message = await pending.catch(() => undefined);
    if (message) running.collector.feed(JSON.parse(Buffer.from(message).toString("utf8")));
    await book(running, true);
  };
  return {
    statusCode: refusal.status,
    headers: errorHeaders(refusal, requestId),
    body: new MeteredBody(body(), settle),
  };
}

/** Until here nothing is billed: a refusal of the model host gives the reservation back. */
async function begin<T>(running: Running, start: () => Promise<T>): Promise<T> {
  const { is, admitted } = running;
  try {
    const result = await start();
    running.firstByteAt = is.clock();
    return result;
  } catch (error) {
    await is.settlements.release(admitted);
    throw refusalOfModelHost(error);
  }
}

function answer(running: Running, contentType: string, produce: AsyncGenerator<Uint8Array>) {
  const { admitted, call, is } = running;
  return {
    statusCode: 200,
    headers: {
      "content-type": contentType,
      "cache-control": "no-store",
      "request-id": call.requestId,
      ...limitHeaders(admitted.limits, admitted.spending, microsOf(is.clock())),
    },
    body: new MeteredBody(produce, (clientLeft) => book(running, clientLeft)),
  };
}

/** Books what the call cost. If the store stays down, the line in the log is what `meter` books it from. */
async function book(running: Running, clientLeft: boolean): Promise<void> {
  const { is, admitted, call, caller, collector, price, route, startedAt, firstByteAt } = running;
  const { usage, source } = collector.report({ clientLeft });
  const outcome = { usage, source, cost: cost(price, usage) };
  const facts = {
    request_id: call.requestId,
    operation: "messages",
    tenant_id: caller.tenant.tenant_id,
    caller_id: caller.callerId,
    session_id: call.sessionId,
    model: route.model.id,
    region: route.region,
    source,
  } as const;
  try {
    await is.settlements.book(admitted, outcome);
  } catch (error) {
    is.log.problem(
      unbookedMessage,
      { ...facts, unbooked: { key: admitted.key, reservation: admitted.reservation, outcome } },
      error,
    );
  }
  is.telemetry.finished(facts, {
    ...usage,
    cost_nano_usd: outcome.cost,
    duration_ms: is.clock() - startedAt,
    first_byte_ms: (firstByteAt ?? is.clock()) - startedAt,
  });
}

/** A model without a price that holds now is refused, never free. */
function priceOf({ model, profileId }: Route, now: number): Price {
  const price = priceAt(model, profileId, new Date(now).toISOString());
  if (!price) throw new Refusal("upstream_failed", `The model ${model.id} has no price here at present.`);
  return price;
}

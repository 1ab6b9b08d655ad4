// POST /messages: admitted, sent to the model host, answered as it comes, and settled after its last byte.
import type { Context } from "aws-lambda";
import type { Target } from "../../domain/admission.ts";
import type { Price } from "../../domain/catalog/catalog.ts";
import { priceAt, upperBound } from "../../domain/catalog/price.ts";
import { bridge, checkMaxTokens, parseMessagesBody, requireMaxTokens } from "../../domain/messages/body.ts";
import { type ModelCall, ModelHostError, modelHostRefusal } from "../../domain/messages/model-host.ts";
import { featuresOf, tokenBounds } from "../../domain/messages/token-bound.ts";
import { UsageCollector } from "../../domain/messages/usage.ts";
import { Refusal } from "../../domain/refusal.ts";
import { callOf, identify, routeOf } from "./call.ts";
import { maxBodyBytes } from "./contract.ts";
import type { ProxyDependencies } from "./dependencies.ts";
import { beginsWell, drain, open, relay } from "./relay.ts";
import { forwardedHeaders, type ProxyEvent } from "./request.ts";
import { begin, late, type Running, streamedAnswer, wholeAnswer } from "./running.ts";

/** Kept of the function's time for settlement. */
const settlementMilliseconds = 20_000;
/** How much longer than the function's own end a reservation lives. */
const reservationMarginMilliseconds = 60_000;

export function messages(is: ProxyDependencies) {
  return async (event: ProxyEvent, context: Context) => {
    const call = callOf(is, "messages", event, context);
    const caller = await identify(is, call);
    const body = parseMessagesBody(call.body, { maxBytes: maxBodyBytes });
    requireMaxTokens(body);
    const headers = forwardedHeaders(call.headers);
    const route = routeOf(is, call, caller, body.model);
    checkMaxTokens(body, route.model);
    const price = priceOf(route, call.startedAt);
    const sent = bridge(body, route.model, call.headers["anthropic-beta"]);
    const bounds = tokenBounds(body, Math.max(Buffer.byteLength(call.body), Buffer.byteLength(sent)), route.model);
    const modelCall: ModelCall = {
      identity: { tenantId: caller.tenant.tenant_id, callerId: caller.callerId },
      region: route.region,
      modelId: route.profileId,
      body: sent,
      headers,
    };
    const admitted = await is.admission.admit(caller, {
      requestId: call.requestId,
      reservedCost: upperBound(price, { inputTokensBound: bounds.input, maxTokens: bounds.output }),
      bounds,
      expiresAt: is.clock() + call.remainingMilliseconds() + reservationMarginMilliseconds,
      model: route.model.id,
      profile: route.profileId,
      region: route.region,
    });
    const deadline = new AbortController();
    const untilDeadline = Math.max(1, call.remainingMilliseconds() - settlementMilliseconds);
    const running: Running = {
      is,
      call,
      price,
      admitted,
      collector: new UsageCollector(bounds, featuresOf(body, sent)),
      firstByteAt: undefined,
      failure: undefined,
      signal: deadline.signal,
      cancelDeadline: is.schedule(untilDeadline, () => deadline.abort()),
    };
    return body.stream ? streamed(running, modelCall) : whole(running, modelCall);
  };
}

/** The status is held until the first event, so that a failure before it is an answer of its own. */
async function streamed(running: Running, modelCall: ModelCall) {
  const pending = open(running, modelCall);
  const events = await begin(running, pending);
  if (events && beginsWell(events)) return streamedAnswer(running, (body) => relay(running, events, body));
  const error = events
    ? new ModelHostError("broken", "The model host's stream begins with what is no event")
    : new ModelHostError("timeout", "The model host fell silent");
  return late(running, modelHostRefusal(error), async () => drain(running, await pending));
}

async function whole(running: Running, modelCall: ModelCall) {
  const pending = running.is.modelHost.invoke(modelCall, running.signal).then((message) => {
    running.collector.feed(parsed(message));
    return message;
  });
  const message = await begin(running, pending);
  if (message !== undefined) return wholeAnswer(running, message);
  const refusal = new Refusal(
    "upstream_too_slow",
    "The answer takes longer than a whole answer may: send stream: true.",
  );
  return late(running, refusal, () => pending);
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch (error) {
    throw new ModelHostError("broken", "The model host's answer is not JSON", error, true);
  }
}

/** A model without a price that holds now is refused, never free. */
function priceOf({ model, profileId }: Target, now: number): Price {
  const price = priceAt(model, profileId, new Date(now).toISOString());
  if (!price) throw new Refusal("upstream_failed", `The model ${model.id} has no price here at present.`);
  return price;
}

// POST /messages: admitted, sent to the model host, answered as it comes, and settled after its last byte.
import type { Caller, Target } from "../../domain/admission.ts";
import { isKeptShort } from "../../domain/budget/unexplained.ts";
import { sentVersion } from "../../domain/catalog/capability.ts";
import { cost, priceAt, upperBound } from "../../domain/catalog/price.ts";
import type { RegionTarget } from "../../domain/catalog/region.ts";
import { noUsage } from "../../domain/catalog/token-usage.ts";
import { monthOf } from "../../domain/kernel/period.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import {
  checkInferenceGeo,
  type MessageRequest,
  type OutputLimits,
  parseMessagesBody,
  requireMaxTokens,
  withinOutputLimit,
} from "../../domain/messages/body.ts";
import { type Bridged, bridge } from "../../domain/messages/bridge.ts";
import { longAnswerTokens, ModelHostError, modelHostRefusal, type Observe } from "../../domain/messages/model-host.ts";
import { estimatedInputTokens, featuresOf, thinkingTokensOf, tokenBounds } from "../../domain/messages/token-bound.ts";
import type { AnswerStream } from "./answer-stream.ts";
import { identify, type ProxyCall, type ProxyEvent, targetOf } from "./call.ts";
import { maxBodyBytes } from "./contract.ts";
import { admitByCount } from "./counted-prompt.ts";
import { fallbackSender, type Routes } from "./fallback.ts";
import { InFlightCall, type PricedRoute } from "./in-flight-call.ts";
import { type Called, knownRefusals, type Sender, sender } from "./repair.ts";
import { betaFlags, bodyOf, forwardedHeaders } from "./request.ts";
import { type Answer, messageResponse, refused, streamResponse } from "./response.ts";
import type { ProxyServices } from "./services.ts";
import { beginsWithEvent, drain, openStream, ping, relay } from "./stream.ts";

export function messages(services: ProxyServices) {
  return async (event: ProxyEvent): Promise<Answer> => {
    const { call } = event;
    const caller = await identify(services, call, "messages");
    const text = await bodyOf(event, maxBodyBytes);
    const asked = parseMessagesBody(text, { maxBytes: maxBodyBytes });
    requireMaxTokens(asked);
    checkInferenceGeo(asked, services.settings.headerNames.region);
    const headers = forwardedHeaders(call.headers);
    const target = targetOf(services, call, caller, asked.model);
    const limits = limitsOf(services, call, caller, { target, isStream: asked.stream === true });
    const body = withinOutputLimit(asked, limits);
    if (body !== asked) call.maxTokens = body.max_tokens;
    const routes = routesOf(target, call.startedAt);
    const prices = [routes.own, routes.second].flatMap((route) => route?.price ?? []);
    const callIn = ({ region, profileId }: RegionTarget): Called => ({
      identity: { tenantId: caller.tenant.tenant_id, callerId: caller.callerId },
      region,
      modelId: profileId,
      headers,
      version: sentVersion(target.model.capabilities, headers["anthropic-version"]),
      ...(services.settings.logsInvocations && { loggedAs: call.requestId }),
    });
    const modelCall = callIn(target);
    const bridged = bridge(body, target.model, betaFlags(call.headers), knownRefusals(services, modelCall));
    const bytes = Math.max(Buffer.byteLength(text), Buffer.byteLength(bridged.body));
    const bounds = tokenBounds(body, bytes, target.model);
    const features = featuresOf(body, bridged.body);
    const estimatedInput = estimatedInputTokens(body, bytes, bounds.input);
    const requestOf = (counted?: { bound: number; tokens: number }) => {
      // A prompt that may be compacted is read twice, which its count does not tell.
      const input = counted && !features.compaction ? Math.min(bounds.input, counted.bound) : bounds.input;
      const boundsAt = (maxTokens: number) => ({ input, output: bounds.output - body.max_tokens + maxTokens });
      return {
        requestId: call.requestId,
        arrivedAt: call.startedAt,
        profile: target.profileId,
        region: target.region,
        maxTokens: body.max_tokens,
        thinkingTokens: thinkingTokensOf(body),
        boundsAt,
        countedInput: counted?.tokens,
        known: Math.min(...prices.map((price) => cost(price, { ...noUsage, input: estimatedInput }))),
        costAt: remembered((maxTokens) => {
          const bounds = boundsAt(maxTokens);
          return Math.max(...prices.map((price) => upperBound(price, bounds, features)));
        }),
      };
    };
    const prompt = { body, target, modelCall, estimatedInput };
    const admitted = await admitByCount(services, { call, caller, prompt }, requestOf);
    const maxTokens = body.max_tokens - (bounds.output - admitted.reservation.bounds.output);
    const { price } = routes.own;
    const inFlight = new InFlightCall(services, { call, admitted, price, features, estimatedInput });
    call.inFlight = inFlight;
    // The bridge changes the body that it is given. Each region gets one of its own: the body that it would get if the call had come there first.
    const senderTo = (route: RegionTarget) => {
      if (route === routes.own)
        return sender(services, call, { modelCall, bridged: lowered(call, bridged, body, maxTokens) });
      const there = callIn(route);
      const again = withinOutputLimit(parseMessagesBody(text, { maxBytes: maxBodyBytes }), limits);
      const moved = bridge(again, target.model, betaFlags(call.headers), knownRefusals(services, there), {
        isMoved: true,
      });
      return sender(services, call, { modelCall: there, bridged: lowered(call, moved, body, maxTokens) });
    };
    const send = fallbackSender(services, inFlight, routes, senderTo);
    return body.stream ? streamed(services, inFlight, send) : whole(services, inFlight, send, maxTokens);
  };
}

/** The limits of the answer. A whole one is kept short where too much of what its owner's calls may have cost was never explained. */
function limitsOf(
  { settings }: ProxyServices,
  { startedAt }: ProxyCall,
  { tenant }: Caller,
  { target: { model }, isStream }: { target: Target; isStream: boolean },
): OutputLimits {
  if (isStream || settings.logsInvocations || !isKeptShort(tenant, monthOf(startedAt))) return model;
  const { id, max_output_tokens: most, vendor_max_output_tokens = most } = model;
  return { id, vendor_max_output_tokens, max_output_tokens: Math.min(most, longAnswerTokens) };
}

/** Remembers each cost: planning asks for the same few again and again, and each is exact arithmetic over large integers. */
function remembered(costAt: (maxTokens: number) => number): (maxTokens: number) => number {
  const known = new Map<number, number>();
  return (maxTokens) => {
    const cost = known.get(maxTokens) ?? costAt(maxTokens);
    known.set(maxTokens, cost);
    return cost;
  };
}

/** Lowers `max_tokens` of a call that does not fit whole into the rest of the budget. A header tells the caller (response.ts). */
function lowered(call: ProxyCall, bridged: Bridged, { max_tokens }: MessageRequest, maxTokens: number): Bridged {
  if (maxTokens === max_tokens) return bridged;
  call.maxTokens = maxTokens;
  return bridged.withMaxTokens(maxTokens);
}

/**
 * The status waits for the first event, so that a failure before it is an answer of its own. Where the model host is silent for too long,
 * the answer begins with a ping, and a later failure is an event of it (docs/decisions/0103-streams-never-hang.md).
 */
async function streamed(services: ProxyServices, inFlight: InFlightCall, send: Sender): Promise<Answer> {
  const { call } = inFlight;
  const { idleMs, pingMs, statusMs } = services.settings;
  const until =
    pingMs === undefined ? call.startedAt + idleMs : Math.min(services.clock() + pingMs, call.startedAt + statusMs);
  inFlight.boundSilence();
  const opening = send((modelCall) => openStream(services, modelCall, inFlight.signal));
  const events = await firstEventOf(services, inFlight, opening, until);
  if (events ? beginsWithEvent(events) : pingMs !== undefined) {
    call.hasStatus = true;
    const body = async (answer: AnswerStream) => {
      if (!events) answer.write(ping);
      const end = await relay(services, inFlight, opening, answer);
      answer.end();
      // The model host's answer is read; the caller may take it as slowly as it likes.
      await inFlight.settle(end);
    };
    return streamResponse(inFlight, body, services.clock());
  }
  const error = events
    ? new ModelHostError("broken", "The model host's stream does not begin with an event", { outcomeUnknown: true })
    : new ModelHostError("timeout", "The model host fell silent", { outcomeUnknown: true });
  const drained = opening.then((stream) => drain(inFlight, stream));
  return refuseAndDrain(services, inFlight, modelHostRefusal(error), drained);
}

/** A whole answer is settled once it is sent (handler.ts). */
async function whole(
  services: ProxyServices,
  inFlight: InFlightCall,
  send: Sender,
  maxTokens: number,
): Promise<Answer> {
  const { modelHost } = services;
  const observe: Observe = (event, counts) => inFlight.observe(event, counts);
  if (maxTokens <= longAnswerTokens) inFlight.awaitPiece();
  const answering = send((modelCall) => modelHost.invoke({ ...modelCall, maxTokens }, inFlight.signal, observe));
  const message = await firstEventOf(services, inFlight, answering, inFlight.call.startedAt + services.settings.idleMs);
  if (message !== undefined) return messageResponse(inFlight, message, services.clock());
  const advice = "The answer takes longer than a whole answer may: send stream: true.";
  return refuseAndDrain(services, inFlight, new Refusal("upstream_too_slow", advice), answering);
}

/** @throws Refusal if the model host fails before it begins to answer. The call is settled then. */
async function firstEventOf<T>(
  { admission }: ProxyServices,
  inFlight: InFlightCall,
  pending: Promise<T>,
  until: number,
): Promise<T | undefined> {
  try {
    return await inFlight.awaitFirstEvent(pending, until);
  } catch (error) {
    await inFlight.settle(inFlight.endOf(error));
    const { call, hasBegun } = inFlight;
    throw modelHostRefusal(error, { hasBegun, instead: admission.insteadOf(call.facts.model ?? "") });
  }
}

/** The caller gets a refusal now; the model host's call goes on, and is settled by what it says in the end. */
function refuseAndDrain(
  services: ProxyServices,
  inFlight: InFlightCall,
  refusal: Refusal,
  drained: Promise<unknown>,
): Answer {
  const ended = drained.then(
    () => ({ clientLeft: true }),
    (error) => inFlight.endOf(error),
  );
  void inFlight.settle(ended);
  return refused(services, inFlight.call, refusal);
}

/** The regions of a call, with the prices that hold now. @throws Error for a profile without one, which the admission does not choose */
function routesOf({ model, region, profileId, fallback }: Target, now: number): Routes {
  const priced = (route: RegionTarget): PricedRoute => {
    const price = priceAt(model, route.profileId, new Date(now).toISOString());
    if (!price) throw new Error(`${route.profileId} has no price`);
    return { ...route, price };
  };
  return { model: model.id, own: priced({ region, profileId }), second: fallback && priced(fallback) };
}

// The tokens of a prompt whose bytes alone do not fit into the free credit: the model host counts them, as for POST /messages/count_tokens.
import type { Caller, Target } from "../../domain/admission.ts";
import type { Reserved } from "../../domain/budget/admitted.ts";
import { TooLittleCredit } from "../../domain/budget/limit-refusal.ts";
import type { AdmissionRequest } from "../../domain/budget/plan.ts";
import { waitMs } from "../../domain/budget/waiting.ts";
import { countingPlace } from "../../domain/catalog/counting.ts";
import type { MessagesBody } from "../../domain/messages/body.ts";
import { bridgeCount } from "../../domain/messages/counting.ts";
import type { ProxyCall } from "./call.ts";
import { type Called, knownRefusals, sender } from "./repair.ts";
import { betaFlags } from "./request.ts";
import type { ProxyServices } from "./services.ts";

/** A count may take this much of the time that a call may wait in all. */
const timeoutMs = 20_000;
/** A prompt that is estimated at more than this many times the credit is not counted. */
const mostTimes = 4;
/** The host may read a little more than it counts (platform.claude.com, build-with-claude/token-counting: "an estimate"). */
const margin = 0.05;

type Prompt = { body: MessagesBody; target: Target; modelCall: Called; estimatedInput: number };

/**
 * Admits a call. Of one that its bytes make too large for the free credit the tokens are counted, and decide.
 * @param requestOf the request, with a bound of the prompt's tokens and their count in place of the bound by its bytes
 * @throws Refusal as Admission.admit
 */
export async function admitByCount(
  services: ProxyServices,
  { call, caller, prompt }: { call: ProxyCall; caller: Caller; prompt: Prompt },
  requestOf: (counted?: { bound: number; tokens: number }) => AdmissionRequest,
): Promise<Reserved> {
  const { admission } = services;
  try {
    return await admission.admit(caller, requestOf());
  } catch (refusal) {
    if (!(refusal instanceof TooLittleCredit) || prompt.estimatedInput > mostTimes * refusal.granted) throw refusal;
    const tokens = await countOf(services, call, caller, prompt);
    if (tokens === undefined) throw refusal;
    return admission.admit(caller, requestOf({ tokens, bound: Math.ceil(tokens * (1 + margin)) }));
  }
}

/** Undefined where nobody counts the model's tokens, or the count fails. A count takes its turn in the caller's rate limit. @throws Refusal rate_limited */
async function countOf(
  services: ProxyServices,
  call: ProxyCall,
  caller: Caller,
  { body, target: { model, region }, modelCall }: Prompt,
): Promise<number | undefined> {
  const place = countingPlace(model.capabilities.count_tokens, region);
  if (!place) return undefined;
  await services.admission.admit(caller, undefined);
  const { identity, headers } = modelCall;
  const counting = { identity, headers, region: place.region, modelId: place.model_id ?? model.base_id };
  const { max_tokens: _maxTokens, stream: _stream, ...counted } = body;
  const bridged = bridgeCount(counted, model, betaFlags(call.headers), knownRefusals(services, counting));
  // What a count leaves out is not left out of the call.
  const send = sender(services, { ...call, dropped: [] }, { modelCall: counting, bridged });
  const left = call.startedAt + waitMs - services.clock();
  const signal = AbortSignal.timeout(Math.min(timeoutMs, Math.max(1, left)));
  return send((sent) => services.modelHost.countTokens({ ...sent, endpoint: place.endpoint }, signal)).catch(
    () => undefined,
  );
}

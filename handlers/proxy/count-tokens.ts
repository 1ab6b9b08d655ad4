// POST /messages/count_tokens: the model host counts; where it cannot, the answer is 501 and never a guess.
import { countingPlace } from "../../domain/catalog/counting.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { checkInferenceGeo, parseMessagesBody } from "../../domain/messages/body.ts";
import { bridgeCount } from "../../domain/messages/counting.ts";
import { modelHostRefusal } from "../../domain/messages/model-host.ts";
import { identify, noteFinished, type ProxyEvent, targetOf } from "./call.ts";
import { maxBodyBytes } from "./contract.ts";
import { knownRefusals, sender } from "./repair.ts";
import { betaFlags, bodyOf, forwardedHeaders } from "./request.ts";
import { type Answer, jsonResponse } from "./response.ts";
import type { ProxyServices } from "./services.ts";

const timeoutMs = 60_000;

export function countTokens(services: ProxyServices) {
  return async (event: ProxyEvent): Promise<Answer> => {
    const { call } = event;
    const caller = await identify(services, call, "count_tokens");
    const body = parseMessagesBody(await bodyOf(event, maxBodyBytes), { maxBytes: maxBodyBytes });
    checkInferenceGeo(body, services.settings.headerNames.region);
    const headers = forwardedHeaders(call.headers);
    const { model, region } = targetOf(services, call, caller, body.model);
    const place = countingPlace(model.capabilities.count_tokens, region);
    if (!place) {
      throw new Refusal("counting_unavailable", `The model host cannot count tokens for ${model.id}.`);
    }
    await services.admission.admit(caller, undefined);
    const modelCall = {
      identity: { tenantId: caller.tenant.tenant_id, callerId: caller.callerId },
      // Counting may run in another region than the caller's, in the same geography: the catalog is checked for that.
      region: place.region,
      modelId: place.model_id ?? model.base_id,
      headers,
    };
    const bridged = bridgeCount(body, model, betaFlags(call.headers), knownRefusals(services, modelCall));
    const send = sender(services, call, { modelCall, bridged });
    const signal = AbortSignal.timeout(timeoutMs);
    const { endpoint } = place;
    const inputTokens = await send((sent) => services.modelHost.countTokens({ ...sent, endpoint }, signal)).catch(
      (error) => {
        throw modelHostRefusal(error, { isBilled: false, instead: services.admission.insteadOf(model.id) });
      },
    );
    noteFinished(services, call);
    return jsonResponse(call, { input_tokens: inputTokens });
  };
}

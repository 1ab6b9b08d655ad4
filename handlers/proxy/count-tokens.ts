// POST /messages/count_tokens: the model host counts; where it cannot, the answer is 501 and never a guess.
import type { Context } from "aws-lambda";
import { countingPlace } from "../../domain/catalog/counting.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { checkInferenceGeo, parseMessagesBody } from "../../domain/messages/body.ts";
import { bridgeCount } from "../../domain/messages/counting.ts";
import { modelHostRefusal } from "../../domain/messages/model-host.ts";
import { callOf, identify, noteFinished, targetOf } from "./call.ts";
import { maxBodyBytes } from "./contract.ts";
import type { ProxyEvent } from "./proxy-event.ts";
import { sender } from "./refused-flags.ts";
import { forwardedHeaders } from "./request.ts";
import { jsonResponse } from "./response.ts";
import type { ProxyServices } from "./services.ts";

const timeoutMs = 60_000;

export function countTokens(services: ProxyServices) {
  return async (event: ProxyEvent, context: Context) => {
    const call = callOf(services, "count_tokens", event, context);
    const caller = await identify(services, call);
    const body = parseMessagesBody(call.body, { maxBytes: maxBodyBytes });
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
      // Perhaps another one than the caller's, in the same geography: the catalog is checked for that.
      region: place.region,
      modelId: place.model_id ?? model.base_id,
      headers,
    };
    const bridged = bridgeCount(body, model, call.headers["anthropic-beta"], (flags) =>
      services.refusedBetas.worthTrying(modelCall, flags),
    );
    const send = sender(services, call, { modelCall, bridged });
    const signal = AbortSignal.timeout(timeoutMs);
    const { endpoint } = place;
    const inputTokens = await send((sent) => services.modelHost.countTokens({ ...sent, endpoint }, signal)).catch(
      (error) => {
        throw modelHostRefusal(error);
      },
    );
    noteFinished(services, call);
    return jsonResponse(call.requestId, { input_tokens: inputTokens }, call.dropped);
  };
}

// POST /messages/count_tokens: the model host counts; where it cannot, the answer is 501 and never a guess.
import type { Context } from "aws-lambda";
import { countingBridge, parseMessagesBody } from "../../domain/messages/body.ts";
import { modelHostRefusal } from "../../domain/messages/model-host.ts";
import { Refusal } from "../../domain/refusal.ts";
import { callOf, identify, json, routeOf } from "./call.ts";
import { maxBodyBytes } from "./contract.ts";
import type { ProxyDependencies } from "./dependencies.ts";
import { forwardedHeaders, type ProxyEvent } from "./request.ts";

const timeoutMilliseconds = 60_000;

export function countTokens(is: ProxyDependencies) {
  return async (event: ProxyEvent, context: Context) => {
    const call = callOf(is, "count_tokens", event, context);
    const caller = await identify(is, call);
    const body = parseMessagesBody(call.body, { maxBytes: maxBodyBytes });
    const headers = forwardedHeaders(call.headers);
    const { model, region } = routeOf(is, call, caller, body.model);
    const counting = model.capabilities.count_tokens;
    if (counting.kind === "none") {
      throw new Refusal("counting_unavailable", `The model host cannot count tokens for ${model.id}.`);
    }
    await is.admission.admit(caller, undefined);
    const modelCall = {
      identity: { tenantId: caller.tenant.tenant_id, callerId: caller.callerId },
      region,
      modelId: counting.model_id,
      body: countingBridge(body, model, call.headers["anthropic-beta"]),
      headers,
    };
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const inputTokens = await is.modelHost.countTokens(modelCall, signal).catch((error) => {
      throw modelHostRefusal(error);
    });
    return json(is, call, { input_tokens: inputTokens });
  };
}

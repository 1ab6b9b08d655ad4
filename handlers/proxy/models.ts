// GET /models and /models/{id}: the catalog as far as the caller's grant allows it, in the vendor's page shape.
import type { Context } from "aws-lambda";
import { isNamed, type Model } from "../../domain/catalog/catalog.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { callOf, identify, noteFinished } from "./call.ts";
import { pageOfModels } from "./models-page.ts";
import type { ProxyEvent } from "./proxy-event.ts";
import { jsonResponse } from "./response.ts";
import type { ProxyServices } from "./services.ts";

export function listModels(services: ProxyServices) {
  return async (event: ProxyEvent, context: Context) => {
    const call = callOf(services, "models", event, context);
    const caller = await identify(services, call);
    const page = pageOfModels(services.admission.modelsOf(caller), event.queryStringParameters ?? {});
    noteFinished(services, call);
    return jsonResponse(call.requestId, { ...page, data: page.data.map(modelInfo) });
  };
}

export function getModel(services: ProxyServices) {
  return async (event: ProxyEvent, context: Context) => {
    const call = callOf(services, "models", event, context);
    const caller = await identify(services, call);
    const id = decoded(event.pathParameters?.id ?? "");
    const model = services.admission.modelsOf(caller).find((known) => isNamed(known, id));
    if (!model) throw new Refusal("not_found", "No such model, or it is not in your grant.");
    noteFinished(services, call);
    return jsonResponse(call.requestId, modelInfo(model));
  };
}

/** A name that is badly encoded is no model's. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

/** What every client reads, and what the newest one asks for (clients reference, section 2). */
function modelInfo({ id, display_name, created_at, max_input_tokens, max_output_tokens }: Model) {
  return { type: "model", id, display_name, created_at, max_input_tokens, max_tokens: max_output_tokens };
}

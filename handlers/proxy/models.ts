// GET /models and /models/{id}: the catalog as far as the caller's grant allows it, in the vendor's page shape.
import type { Context } from "aws-lambda";
import { isNamed, type Model } from "../../domain/catalog/catalog.ts";
import { Refusal } from "../../domain/refusal.ts";
import { callOf, identify, json } from "./call.ts";
import type { ProxyDependencies } from "./dependencies.ts";
import { pageOfModels } from "./models-page.ts";
import type { ProxyEvent } from "./request.ts";

export function listModels(is: ProxyDependencies) {
  return async (event: ProxyEvent, context: Context) => {
    const call = callOf(is, "models", event, context);
    const caller = await identify(is, call);
    const page = pageOfModels(is.admission.modelsOf(caller), event.queryStringParameters ?? {});
    return json(is, call, { ...page, data: page.data.map(modelInfo) });
  };
}

export function getModel(is: ProxyDependencies) {
  return async (event: ProxyEvent, context: Context) => {
    const call = callOf(is, "models", event, context);
    const caller = await identify(is, call);
    const id = decoded(event.pathParameters?.id ?? "");
    const model = is.admission.modelsOf(caller).find((known) => isNamed(known, id));
    if (!model) throw new Refusal("not_found", "No such model, or it is not in your grant.");
    return json(is, call, modelInfo(model));
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

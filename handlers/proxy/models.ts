// GET /models and /models/{id}: the catalog as far as the caller's grant allows it, in the vendor's pages: `limit`, `after_id` and
// `before_id` go in; `data`, `has_more`, `first_id` and `last_id` come out.
import * as z from "zod";
import type { Caller } from "../../domain/admission.ts";
import { endingOf } from "../../domain/catalog/availability.ts";
import { isNamed, type Model } from "../../domain/catalog/catalog.ts";
import { fieldRefusal, Refusal } from "../../domain/kernel/refusal.ts";
import { parseRequest } from "../../domain/kernel/validation.ts";
import { identify, noteFinished, type ProxyCall, type ProxyEvent } from "./call.ts";
import { firstHeader, isClaudeCode } from "./request.ts";
import { type Answer, jsonResponse } from "./response.ts";
import type { ProxyServices } from "./services.ts";

export function listModels(services: ProxyServices) {
  return async ({ call, queryStringParameters = {} }: ProxyEvent): Promise<Answer> => {
    const caller = await identify(services, call, "models");
    const page = pageOfModels(offered(services, call, caller), queryStringParameters);
    noteFinished(services, call);
    return jsonResponse(call, { ...page, data: page.data.map((model) => modelInfo(services, model)) });
  };
}

export function getModel(services: ProxyServices) {
  return async ({ call, pathParameters }: ProxyEvent): Promise<Answer> => {
    const caller = await identify(services, call, "models");
    const id = decoded(pathParameters?.id ?? "");
    const model = services.admission.modelsOf(caller).find((known) => isNamed(known, id));
    if (!model) throw new Refusal("model_unknown", "No such model, or it is not in your grant.");
    noteFinished(services, call);
    return jsonResponse(call, modelInfo(services, model));
  };
}

/**
 * The models to list. A caller who names a region is told only of those that a call would reach, and so is Claude Code, which offers
 * every listed model to its user.
 */
function offered({ admission, settings }: ProxyServices, { headers }: ProxyCall, caller: Caller): Model[] {
  const region = firstHeader(headers, settings.headerNames.region);
  const all = region === undefined && !isClaudeCode(headers);
  return all ? admission.modelsOf(caller) : admission.callableModels(caller, region);
}

/** A name that is badly encoded is no model's. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

/** The fields that clients of the vendor's API read of a model; the newest one sizes its prompts by the two limits. */
function modelInfo({ catalog, clock }: ProxyServices, model: Model) {
  const { id, display_name, created_at, max_input_tokens, max_output_tokens, stack_aliases = [] } = model;
  return {
    type: "model",
    id,
    display_name,
    created_at,
    max_input_tokens,
    max_tokens: max_output_tokens,
    ...(stack_aliases.length > 0 && { stack_aliases }),
    ...endingOf(catalog, model, clock()),
  };
}

const limitMessage = "must be a whole number from 1 to 1000";

const query = z.looseObject({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, limitMessage)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 1000, limitMessage)
    .default(20),
  after_id: z.string().optional(),
  before_id: z.string().optional(),
});

export type ModelsPage = { data: Model[]; has_more: boolean; first_id: string | null; last_id: string | null };

/** @throws Refusal invalid_request for a limit that is none, or an id that is not in the list. */
export function pageOfModels(models: Model[], parameters: Record<string, string | undefined>): ModelsPage {
  const { limit, after_id, before_id } = parseRequest(query, parameters, "query");
  const start = after_id === undefined ? 0 : positionOf(models, after_id, "after_id") + 1;
  const end = before_id === undefined ? models.length : positionOf(models, before_id, "before_id");
  // With `before_id` the page is the one that ends just before that model.
  const from = before_id === undefined ? start : Math.max(start, end - limit);
  const data = models.slice(from, Math.min(end, from + limit));
  const hasMore = before_id === undefined ? from + data.length < end : from > start;
  return { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function positionOf(models: Model[], id: string, field: string): number {
  const position = models.findIndex((model) => model.id === id);
  if (position < 0) throw fieldRefusal("invalid_request", field, "must be the id of a model");
  return position;
}

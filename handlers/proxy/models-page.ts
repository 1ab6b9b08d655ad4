// The vendor's page of models: `limit`, `after_id`, `before_id` in, `data`, `has_more`, `first_id`, `last_id` out.
import * as z from "zod";
import type { Model } from "../../domain/catalog/catalog.ts";
import { parseRequest } from "../../domain/kernel/validation.ts";

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
  // Backwards, the page is the one just before `before_id`.
  const from = before_id === undefined ? start : Math.max(start, end - limit);
  const data = models.slice(from, Math.min(end, from + limit));
  const has_more = before_id === undefined ? from + data.length < end : from > start;
  return { data, has_more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function positionOf(models: Model[], id: string, field: string): number {
  parseRequest(
    z.object({
      [field]: z.enum(models.map((model) => model.id) as [string, ...string[]], "must be the id of a model"),
    }),
    { [field]: id },
    "query",
  );
  return models.findIndex((model) => model.id === id);
}

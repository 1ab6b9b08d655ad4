// The body of a Messages request: the few fields that the proxy reads.
import * as z from "zod";
import type { Model } from "../catalog/catalog.ts";
import { list, record } from "../kernel/json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { parseRequest } from "../kernel/validation.ts";
import { parseExactly } from "./exact-json.ts";
import { type JsonMeasure, measureJson } from "./json-measure.ts";

const read = z.looseObject({
  model: z.string({ error: "must be a model id" }).min(1, "must be a model id"),
  messages: z.array(z.unknown(), { error: "must be a list of messages" }).min(1, "must hold at least one message"),
  max_tokens: z.int("must be a whole number from 1").min(1, "must be a whole number from 1").optional(),
  stream: z.boolean({ error: "must be true or false" }).optional(),
});

/** The limit leaves room for 200,000 tokens of nothing but numbers with their commas. */
const maxValues = 200_000;
/** The limit is far above the number of fields that the Messages API names. */
const maxFields = 1_000;
/** The limit is far below the depth at which writing the body again would exhaust the stack. */
const maxDepth = 1_000;

export type MessagesBody = z.output<typeof read>;

/** @throws Refusal invalid_request that names the field and what is allowed, or request_too_large. */
export function parseMessagesBody(text: string, { maxBytes }: { maxBytes: number }): MessagesBody {
  if (Buffer.byteLength(text) > maxBytes) {
    throw tooMuch(`must have at most ${maxBytes} bytes`);
  }
  const measure = measureJson(text);
  checkCost(measure);
  const body = parseRequest(read, parseJson(text, measure), "body");
  checkEdits(body);
  return body;
}

/**
 * Refuses what would cost seconds of processor time before any limit of the caller is read: reading takes longer by the value than
 * by the byte. @throws Refusal invalid_request or request_too_large
 */
function checkCost({ values, fields, depth }: JsonMeasure): void {
  if (depth > maxDepth) {
    throw new Refusal("invalid_request", `body: is nested too deeply, at most ${maxDepth} levels are allowed`);
  }
  if (values > maxValues) throw tooMuch(`has ${values} values, at most ${maxValues} are allowed`);
  if (fields > maxFields) throw tooMuch(`has ${fields} fields, at most ${maxFields} are allowed`);
}

function tooMuch(what: string): Refusal {
  return new Refusal("request_too_large", `body: ${what}`);
}

/** The type of each edit of the context must be known, since it decides what the call can cost. @throws Refusal invalid_request */
function checkEdits({ context_management }: MessagesBody): void {
  const wrong = list(record(context_management).edits).findIndex((edit) => typeof record(edit).type !== "string");
  if (wrong >= 0) throw new Refusal("invalid_request", `context_management.edits.${wrong}.type: must be a string`);
}

/**
 * Refuses a place that the body asks for: where a model runs is a promise to the caller, so it is never left out. `global`
 * asks for no place: any geography may answer (platform.claude.com/docs/en/manage-claude/data-residency). The model host has no
 * such field: its region and the catalog's profile decide.
 * @param regionHeaders the headers that choose the region
 * @throws Refusal invalid_request
 */
export function checkInferenceGeo({ inference_geo: place }: MessagesBody, regionHeaders: readonly string[]): void {
  if (place === undefined || place === null || place === "global") return;
  const way = `the region decides where the model runs: choose one with the header ${regionHeaders.join(" or ")}`;
  throw new Refusal("invalid_request", `inference_geo: is not available here, ${way}`, {
    unsupported: ["inference_geo"],
  });
}

export type MessageRequest = MessagesBody & { max_tokens: number };

/** A request for a message needs `max_tokens`. @throws Refusal invalid_request */
export function requireMaxTokens(body: MessagesBody): asserts body is MessageRequest {
  if (body.max_tokens === undefined) throw new Refusal("invalid_request", "max_tokens: is required");
}

export type OutputLimits = Pick<Model, "id" | "max_output_tokens" | "vendor_max_output_tokens">;

/**
 * The body with no more `max_tokens` than the model can write at the model host: clients send the vendor's own limit unless told
 * otherwise. A budget of thinking keeps its share of it, since it must be lower.
 * @throws Refusal invalid_request for more than the vendor's API takes either, in its words
 */
export function withinOutputLimit<Body extends MessagesBody>(body: Body, model: OutputLimits): Body {
  const { id, max_output_tokens: most, vendor_max_output_tokens: vendorsMost = most } = model;
  const { max_tokens = 0, thinking } = body;
  if (max_tokens <= most) return body;
  if (max_tokens > vendorsMost) {
    const explanation = `which is the maximum allowed number of output tokens for ${id}`;
    throw new Refusal("invalid_request", `max_tokens: ${max_tokens} > ${vendorsMost}, ${explanation}`);
  }
  const { budget_tokens: budget } = record(thinking);
  if (typeof budget !== "number" || budget < most) return { ...body, max_tokens: most };
  const share = Math.floor((budget * most) / max_tokens);
  return { ...body, max_tokens: most, thinking: { ...record(thinking), budget_tokens: share } };
}

function parseJson(text: string, measure: JsonMeasure): unknown {
  if (text.trim() === "") throw new Refusal("invalid_request", "body: is required");
  try {
    return parseExactly(text, measure);
  } catch {
    throw new Refusal("invalid_request", "body: must be JSON");
  }
}

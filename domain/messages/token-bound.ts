// How many input tokens a request can cost at most, told from its body before it is sent. Budgets are reserved by it.
//
// Text: a token is at least one byte of it, and JSON writes text in no fewer bytes, so the body's bytes are a bound; the
// JSON around each block is longer than what the API frames it with.
// Images: scaled down to a fixed size first, so each costs at most a fixed count, however many bytes it has.
// PDFs: text and image of every page, and a small file can hold many pages; only the context window bounds them.
// The context window bounds all of it: the model host refuses a longer prompt, which then costs nothing.
//
// Compaction: the host may first read the whole prompt to sum it up, and then reads the summary in its place; both are billed.
import type { Model } from "../catalog/catalog.ts";
import { bytesPerToken, type RequestFeatures, type TokenBounds } from "../catalog/token-usage.ts";
import { list, record } from "../kernel/json.ts";
import type { MessageRequest, MessagesBody } from "./body.ts";

/** Models since Opus 4.7 take images of up to 4,784 tokens, older ones 1,568 (platform.claude.com, build-with-claude/vision). */
export const maxImageTokens = 4_784;

/** Tokens that an image of usual size costs at the most on most models (same page). */
const usualImageTokens = 1_568;

/** Tools make the API add a system prompt, 804 tokens at most so far (platform.claude.com, tool use, "Pricing"). */
export const promptOverheadTokens = 2_048;

/** A tool that Anthropic defines costs its own definition: 735 tokens for computer use (same page); toolsets are larger. */
export const definedToolTokens = 8_192;

/**
 * The most that a request can cost in tokens.
 * @param bodyBytes the longest form of the body, as it came or as it is sent on
 */
export function tokenBounds(
  body: MessageRequest,
  bodyBytes: number,
  model: Pick<Model, "max_input_tokens" | "max_output_tokens">,
): TokenBounds {
  const input = inputTokensBound(body, bodyBytes, model.max_input_tokens);
  if (!asksForCompaction(body)) return { input, output: body.max_tokens };
  const summary = model.max_output_tokens;
  return { input: 2 * input + summary, output: body.max_tokens + summary };
}

/** @param sent the body as the model host gets it, as `JSON.stringify` writes it */
export function featuresOf(body: MessagesBody, sent: string): RequestFeatures {
  return {
    compaction: asksForCompaction(body),
    caching: sent.includes('"cache_control":'),
    oneHourCaching: sent.includes('"ttl":"1h"'),
  };
}

/** Thinking that `max_tokens` must exceed; 0 where the model decides how much. */
export function thinkingTokensOf({ thinking }: MessagesBody): number {
  const { type, budget_tokens } = record(thinking);
  return type === "enabled" && Number.isSafeInteger(budget_tokens) ? Math.max(0, Number(budget_tokens)) : 0;
}

function asksForCompaction({ context_management }: MessagesBody): boolean {
  return list(record(context_management).edits).some((edit) => {
    const { type } = record(edit);
    return typeof type === "string" && type.startsWith("compact");
  });
}

/**
 * An upper bound of the input tokens, cached ones included. Not covered: tools that run at the model host and make it
 * read the prompt again.
 * @param body the parsed body, of any shape
 * @param bodyBytes its length as sent
 * @param contextWindow the model's `max_input_tokens`
 */
export function inputTokensBound(body: unknown, bodyBytes: number, contextWindow: number): number {
  const { messages, tools } = record(body);
  let bound = bodyBytes + promptOverheadTokens + definedToolTokens * list(tools).filter(isDefinedTool).length;

  // The walk uses a list and no recursion: a hostile body can be nested deeper than the stack.
  const open: unknown[] = list(messages).map((message) => record(message).content);
  while (open.length > 0) {
    for (const block of list(open.pop())) {
      const { type, source, content } = record(block);
      if (type === "document" && !isText(source)) return contextWindow;
      if (type === "image") bound += maxImageTokens - base64Bytes(source);
      open.push(content, record(source).content);
    }
  }
  return Math.min(bound, contextWindow);
}

/**
 * The input tokens that a request probably costs, at most its bound. Of a file whose pages nobody has counted nothing is estimated.
 * @param bodyBytes its length as sent
 */
export function estimatedInputTokens(body: unknown, bodyBytes: number, bound: number): number {
  let [bytes, images] = [bodyBytes, 0];
  const open: unknown[] = list(record(body).messages).map((message) => record(message).content);
  while (open.length > 0) {
    for (const block of list(open.pop())) {
      const { type, source, content } = record(block);
      bytes -= base64Bytes(source);
      if (type === "image") images += 1;
      open.push(content, record(source).content);
    }
  }
  return Math.min(bound, Math.ceil(bytes / bytesPerToken) + images * usualImageTokens);
}

/** Tools of the caller have no type or `custom`. */
function isDefinedTool(tool: unknown): boolean {
  const { type } = record(tool);
  return typeof type === "string" && type !== "custom";
}

/** A document given as text, or as blocks that are looked at one by one. */
function isText(source: unknown): boolean {
  const { type } = record(source);
  return type === "text" || type === "content";
}

function base64Bytes(source: unknown): number {
  const { type, data } = record(source);
  return type === "base64" && typeof data === "string" ? data.length : 0;
}

// The token count of the host: one token for every four characters, rounded up. Real tokenizers differ by text.
import type { RequestBody } from "./body-schema.ts";
import type { Block, CacheControl } from "./message-schema.ts";
import type { Tool } from "./tool-schema.ts";

const charactersPerToken = 4;

/** The tokens of the markers around one message. */
const tokensPerMessage = 3;
/** The tokens of an image of any size, about the cost of the largest image on real models. */
const tokensPerImage = 1600;
/** Base64 characters of a document that make one token: text is a small part of a PDF. */
const documentCharactersPerToken = 40;

/** A stretch of the prompt in the order in which a model reads it: tools, system, messages. */
export type PromptPart = {
  /** The content without its cache breakpoint. */
  content: unknown;
  tokens: number;
  /** The lifetime of the cache breakpoint after this part, if there is one. */
  ttl?: "5m" | "1h";
};

export function countText(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** The first `tokens` tokens of a text. A character outside the basic plane is never cut in two. */
export function firstTokens(text: string, tokens: number): string {
  const end = tokens * charactersPerToken;
  const splits = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return text.slice(0, splits ? end - 1 : end);
}

/** The parts of the prompt that the model reads, without `max_tokens`, `metadata` and the like. */
export function promptParts(body: RequestBody): PromptPart[] {
  const system = typeof body.system === "string" ? [{ type: "text" as const, text: body.system }] : (body.system ?? []);
  const parts = [
    ...(body.tools ?? []).map(part),
    ...system.map(part),
    ...body.messages.flatMap(({ role, content }) => {
      const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      return blocks.map((block, index): PromptPart => {
        const { content, tokens, ...mark } = part(block);
        return { content: [role, content], tokens: tokens + (index === 0 ? tokensPerMessage : 0), ...mark };
      });
    }),
  ];
  const last = parts.at(-1);
  if (last && body.cache_control) last.ttl ??= body.cache_control.ttl ?? "5m";
  return parts;
}

/** The tokens of a whole prompt, as CountTokens and `usage` without a cache give them. */
export function countPrompt(parts: PromptPart[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}

function part(block: Block | Tool): PromptPart {
  const { cache_control, ...content } = block as { cache_control?: CacheControl | null };
  return { content, tokens: countBlock(content), ...(cache_control && { ttl: cache_control.ttl ?? "5m" }) };
}

function countBlock(block: object): number {
  const { type } = block as { type?: string };
  if (type === "text") return countText((block as { text: string }).text);
  if (type === "image") return tokensPerImage;
  if (type === "document") return countDocument(block as { source: { type: string; data?: unknown } });
  if (type === "tool_result") return countResult((block as { content?: string | object[] }).content ?? "");
  return countText(JSON.stringify(block));
}

function countDocument({ source }: { source: { type: string; data?: unknown } }): number {
  if (source.type === "base64") return Math.ceil(String(source.data).length / documentCharactersPerToken);
  return countText(JSON.stringify(source));
}

function countResult(content: string | object[]): number {
  if (typeof content === "string") return countText(content);
  return content.reduce((sum, block) => sum + countBlock(block), 0);
}

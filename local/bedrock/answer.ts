// What the host answers to a body: blocks of thinking, text and tool use, cut by stop sequences and `max_tokens`.

import { resultAnswer, shortAnswer, thinkingText, withLength } from "./answer-text.ts";
import type { Block, RequestBody, Tool } from "./body-schema.ts";
import { sample } from "./schema-sample.ts";
import { countText, firstTokens } from "./tokens.ts";

/** A block as it is generated: `text` is what streams, for a tool the JSON of its input. */
export type AnswerBlock =
  | { type: "thinking"; text: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; text: string };

export type Answer = {
  blocks: AnswerBlock[];
  stopReason: "end_turn" | "max_tokens" | "stop_sequence" | "tool_use";
  stopSequence: string | null;
  /** Four characters each, thinking included. */
  outputTokens: number;
};

export type AnswerOptions = {
  /** The model's public name. */
  model: string;
  /** The length of a text answer; none for a few sentences. */
  outputTokens: number | undefined;
  toolUseId: () => string;
};

export function answer(body: RequestBody, options: AnswerOptions): Answer {
  const stopped = stopAt(compose(body, options), body.stop_sequences ?? []);
  const cut = limit(stopped.blocks, body.max_tokens);
  const stopSequence = cut.complete ? stopped.stopSequence : null;
  return {
    blocks: cut.blocks,
    stopReason: cut.complete ? reason(cut.blocks, stopSequence) : "max_tokens",
    stopSequence,
    outputTokens: cut.tokens,
  };
}

function reason(blocks: AnswerBlock[], stopSequence: string | null): Answer["stopReason"] {
  if (stopSequence !== null) return "stop_sequence";
  return blocks.at(-1)?.type === "tool_use" ? "tool_use" : "end_turn";
}

function compose(body: RequestBody, { model, outputTokens, toolUseId }: AnswerOptions): AnswerBlock[] {
  const question = lastQuestion(body);
  const blocks: AnswerBlock[] = [];
  if (body.thinking && body.thinking.type !== "disabled") {
    const text = thinkingText(question);
    const half = outputTokens === undefined ? countText(text) : Math.floor(outputTokens / 2);
    if (half > 0) blocks.push({ type: "thinking", text: firstTokens(text, half) });
  }
  const results = toolResults(body);
  const tool = results.length === 0 ? chosenTool(body, question) : undefined;
  if (tool) return [...blocks, ...toolUse(body, tool, question, toolUseId())];
  const format = body.output_config?.format;
  if (format?.type === "json_schema") {
    return [...blocks, { type: "text", text: JSON.stringify(sample(format.schema, question)) }];
  }
  const text = results.length > 0 ? resultAnswer(model, results) : shortAnswer(model, question);
  const left = outputTokens === undefined ? undefined : outputTokens - generated(blocks);
  return [...blocks, { type: "text", text: left === undefined ? text : withLength(text, left) }];
}

/**
 * The tool that an answer uses: one that `tool_choice` forces, or one that the question names. A message that brings a
 * tool's result is always answered with text, so that a conversation comes to an end.
 */
function chosenTool({ tools = [], tool_choice: choice }: RequestBody, question: string): Tool | undefined {
  if (choice?.type === "none") return undefined;
  if (choice?.type === "tool") return tools.find(({ name }) => name === choice.name);
  const named = tools.find(({ name }) => question.includes(name));
  return choice?.type === "any" ? (named ?? tools[0]) : named;
}

function toolUse(body: RequestBody, tool: Tool, question: string, id: string): AnswerBlock[] {
  const forced = body.tool_choice?.type === "any" || body.tool_choice?.type === "tool";
  const input = "input_schema" in tool ? sample(tool.input_schema, question) : {};
  const use: AnswerBlock = { type: "tool_use", id, name: tool.name, text: JSON.stringify(input) };
  return forced ? [use] : [{ type: "text", text: `I will use the tool ${tool.name}.` }, use];
}

/** The last words of the last user message. Clients put reminders before them, in blocks of their own. */
function lastQuestion({ messages }: RequestBody): string {
  const last = messages.findLast(({ role }) => role === "user");
  if (!last) return "";
  if (typeof last.content === "string") return last.content;
  return last.content.findLast((block) => block.type === "text")?.text ?? "";
}

function toolResults({ messages }: RequestBody): { tool: string; text: string }[] {
  const uses = messages.flatMap((message) => blocksOf(message)).filter((block) => block.type === "tool_use");
  const last = messages.findLast(({ role }) => role === "user");
  const results = last ? blocksOf(last).filter((block) => block.type === "tool_result") : [];
  return results.map(({ tool_use_id, content = "" }) => ({
    tool: uses.find(({ id }) => id === tool_use_id)?.name ?? tool_use_id,
    text:
      typeof content === "string" ? content : content.map((each) => (each.type === "text" ? each.text : "")).join(" "),
  }));
}

const blocksOf = ({ content }: RequestBody["messages"][number]): Block[] =>
  typeof content === "string" ? [] : content;

const generated = (blocks: AnswerBlock[]): number => blocks.reduce((sum, { text }) => sum + countText(text), 0);

/** Ends the answer before the first stop sequence in its text; thinking and tool inputs are not searched. */
function stopAt(blocks: AnswerBlock[], sequences: string[]) {
  for (const [index, block] of blocks.entries()) {
    if (block.type !== "text") continue;
    const found = sequences
      .map((sequence) => ({ sequence, at: block.text.indexOf(sequence) }))
      .filter(({ at }) => at >= 0)
      .sort((one, other) => one.at - other.at)[0];
    if (!found) continue;
    const kept = found.at > 0 ? [{ ...block, text: block.text.slice(0, found.at) }] : [];
    return { blocks: [...blocks.slice(0, index), ...kept], stopSequence: found.sequence };
  }
  return { blocks, stopSequence: null };
}

/** Keeps the first `maximum` tokens. */
function limit(blocks: AnswerBlock[], maximum: number) {
  const kept: AnswerBlock[] = [];
  let tokens = 0;
  for (const block of blocks) {
    const size = countText(block.text);
    const room = maximum - tokens;
    if (size > room) {
      if (room > 0) kept.push({ ...block, text: firstTokens(block.text, room) });
      return { blocks: kept, tokens: maximum, complete: false };
    }
    kept.push(block);
    tokens += size;
  }
  return { blocks: kept, tokens, complete: true };
}

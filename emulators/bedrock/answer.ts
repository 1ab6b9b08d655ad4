// The answer to a body: blocks of thinking, text and tool use, cut by stop sequences and `max_tokens`.
import { resultAnswer, shortAnswer, thinkingText, withLength } from "./answer-text.ts";
import type { RequestBody } from "./request/body-schema.ts";
import { countText, firstTokens } from "./request/tokens.ts";
import type { Tool } from "./request/tool-schema.ts";
import { givenInput, lastUserTurn, namedTool, type UserTurn, withoutName } from "./request/user-turn.ts";
import { sample } from "./schema-sample.ts";

/** A block of the answer as it is generated: `text` is what streams, for a tool the JSON of its input. */
export type AnswerBlock =
  /** The tokens of hidden thinking count, and only its signature is sent. */
  | { type: "thinking"; text: string; hidden?: boolean }
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
  /** The length of a text answer; if undefined the answer is a few sentences. */
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
  const turn = lastUserTurn(body);
  const { question, results } = turn;
  const blocks: AnswerBlock[] = [];
  const thinking = body.thinking?.type === "disabled" ? undefined : body.thinking;
  if (thinking && (thinking.type !== "between_tools" || results.length > 0)) {
    const text = thinkingText(question);
    const half = outputTokens === undefined ? countText(text) : Math.floor(outputTokens / 2);
    const hidden =
      thinking.type === "between_tools" || thinking.display === "omitted" || thinking.display === "updates";
    if (half > 0) blocks.push({ type: "thinking", text: firstTokens(text, half), ...(hidden && { hidden }) });
  }
  const tool = chosenTool(body, turn);
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
 * The tool that an answer uses: a tool that the words of the user name, or a tool that `tool_choice` forces. A turn with tool results is
 * answered with text even if a tool is forced, unless its words name a tool, so that a conversation ends.
 */
function chosenTool({ tools = [], tool_choice: choice }: RequestBody, { question, results }: UserTurn) {
  if (choice?.type === "none") return undefined;
  const named = namedTool(question, tools);
  if (results.length > 0) return named;
  if (choice?.type === "tool") return tools.find(({ name }) => name === choice.name);
  return choice?.type === "any" ? (named ?? tools[0]) : named;
}

function toolUse(body: RequestBody, tool: Tool, question: string, id: string): AnswerBlock[] {
  const forced = body.tool_choice?.type === "any" || body.tool_choice?.type === "tool";
  const sampled = "input_schema" in tool ? sample(tool.input_schema, withoutName(question, tool)) : {};
  const input = givenInput(question, tool) ?? sampled;
  const use: AnswerBlock = { type: "tool_use", id, name: tool.name, text: JSON.stringify(input) };
  return forced ? [use] : [{ type: "text", text: `I will use the tool ${tool.name}.` }, use];
}

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

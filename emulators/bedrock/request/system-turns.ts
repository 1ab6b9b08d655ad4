// The rules for the position and content of `role: "system"` in `messages`, for models that take it.
import { AwsError } from "../../aws/service.ts";
import type { RequestBody } from "./body-schema.ts";
import type { SystemTurn } from "./message-schema.ts";

type Messages = RequestBody["messages"];

const anywhere = "the directive-only form (content: [] with output_config) is accepted at any position";

/**
 * Words and rules as the vendor's API gave them for claude-opus-5-5 on 2026-10-06 (a public gateway's recorded cases) and
 * in anthropics/claude-code#73821 and LeenHawk/gproxy#209; that Bedrock has the same rules is what BerriAI/litellm#32831 saw.
 * @throws AwsError ValidationException for the first turn with a wrong position or content.
 */
export function checkSystemTurns(messages: Messages): void {
  const isDirective = (turn: Messages[number]) =>
    turn.role === "system" && turn.content.length === 0 && Boolean(turn.output_config);
  // A directive (a system turn with `output_config` and no content) may stand anywhere, so neighbours are found as if it were absent. Consecutive system turns count as one.
  const placed = [...messages.entries()].filter(([, turn]) => !isDirective(turn));
  placed.forEach(([index, turn], position) => {
    if (turn.role !== "system") return;
    checkContent(turn, index);
    const before = placed.slice(0, position).findLast(([, { role }]) => role !== "system")?.[1];
    if (!before) {
      throw invalid(
        `messages.${index}: use the top-level 'system' parameter for the initial system prompt; ${anywhere}`,
      );
    }
    if (before.role !== "user") {
      throw invalid(
        `messages.${index}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; ${anywhere}`,
      );
    }
    if (placed[position + 1]?.[1].role === "user") {
      throw invalid(
        `messages.${index}: role 'system' must precede an 'assistant' message or end the array; ${anywhere}`,
      );
    }
  });
}

const systemBlocks: readonly string[] = ["text", "tool_addition", "tool_removal"];

function checkContent({ content }: SystemTurn, index: number): void {
  if (content.length === 0) throw invalid(`messages.${index}: system content must contain at least one block`);
  if (typeof content === "string" || content.every(({ type }) => systemBlocks.includes(type))) return;
  throw invalid(`messages.${index}: role 'system' supports text, tool_addition, and tool_removal blocks only`);
}

const invalid = (message: string) => new AwsError("ValidationException", message);

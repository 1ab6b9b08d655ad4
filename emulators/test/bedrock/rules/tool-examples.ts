// An example for each rule of tools: a request that breaks only this rule.
import { asking, assistant, type Example, hi, result, talk, text, use, user, weather, withTools } from "./bodies.ts";

const sonnet5 = "claude-sonnet-5";
const haiku45 = "claude-haiku-4-5-20251001-v1:0";

export const toolExamples: Record<string, Example> = {
  "a forced tool": {
    model: "claude-fable-5-1",
    body: asking({ tools: [weather], tool_choice: { type: "any" } }),
    taker: "claude-fable-5",
  },
  "a choice among no tools": { model: sonnet5, body: asking({ tool_choice: { type: "auto" } }) },
  "the choice of a tool that is not there": {
    model: sonnet5,
    body: asking({ tools: [weather], tool_choice: { type: "tool", name: "x" } }),
    words: "Tool 'x' not found in provided tools",
  },
  "two tools of one name": { model: sonnet5, body: asking({ tools: [weather, weather] }) },
  "tools in the history without `tools`": {
    model: sonnet5,
    body: talk(hi, assistant(use("t1")), user(result("t1"))),
  },
  "two uses of a tool with one id": {
    model: sonnet5,
    body: withTools(hi, assistant(use("t1"), use("t1")), user(result("t1"))),
    words: "messages.1.content.1: `tool_use` ids must be unique",
  },
  "two results of one use of a tool": {
    model: sonnet5,
    body: withTools(hi, assistant(use("t1")), user(result("t1"), result("t1"))),
    words:
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: t1",
  },
  "a tool's result without its use": {
    model: haiku45,
    body: withTools(hi, assistant(text("A")), user(result("t1"))),
    words:
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  },
  "a tool's use without its result at the beginning of the next message": {
    model: sonnet5,
    body: withTools(hi, assistant(use("t1"), use("t2")), user(result("t1"), text("wait"), result("t2"))),
    words:
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  },
  "the result of a server's tool without its use": {
    model: sonnet5,
    body: talk(hi, assistant({ type: "tool_search_tool_result", tool_use_id: "s1", content: {} }, text("A")), hi),
    words:
      "messages.1.content.0: unexpected `tool_use_id` found in `tool_search_tool_result` blocks: s1. Each `tool_search_tool_result` block must have a corresponding `server_tool_use` block before it.",
  },
};

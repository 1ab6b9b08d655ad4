import { describe, expect, test } from "@jest/globals";
import { findModel, knownModels, modelReference } from "../../../local/bedrock/models.ts";
import { checkBody, checkPrompt, checkSize, maximumBodyBytes } from "../../../local/bedrock/validation.ts";
import { question } from "../../support/model-host-server.ts";

const model = (id: string) =>
  findModel(knownModels, modelReference(`global.anthropic.${id}`, "us-east-1"), "us-east-1");
const older = model("claude-sonnet-4-5-20250929-v1:0");
const newer = model("claude-sonnet-5");

const weather = { name: "get_weather", input_schema: { type: "object", properties: {} } };
const mark = (ttl?: string) => ({ type: "text", text: "x", cache_control: { type: "ephemeral", ...(ttl && { ttl }) } });
const said = (...content: object[]) => question("", { messages: [{ role: "user", content }] });
const without = (field: string) =>
  Object.fromEntries(Object.entries(question("hi")).filter(([name]) => name !== field));

test("a body with everything that is allowed passes", () => {
  const body = question("hi", {
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral", ttl: "1h" } }],
    temperature: 0.5,
    stop_sequences: ["END"],
    tools: [weather, { type: "bash_20250124", name: "bash" }],
    tool_choice: { type: "tool", name: "get_weather" },
    metadata: { user_id: "someone" },
    anthropic_beta: ["context-1m-2025-08-07"],
  });
  expect(checkBody(body, older)).toMatchObject({
    max_tokens: 1000,
    tools: [{ name: "get_weather" }, { name: "bash" }],
  });
});

describe("the shape is refused in the words that clients know", () => {
  test.each([
    ["no object", [], "Malformed input request, please reformat your input and try again."],
    ["no JSON", "{", "Malformed input request, please reformat your input and try again."],
    ["no version", without("anthropic_version"), "anthropic_version: Field required"],
    [
      "another version",
      question("", { anthropic_version: "2023-06-01" }),
      "anthropic_version: Input should be 'bedrock-2023-05-31'",
    ],
    ["no max_tokens", without("max_tokens"), "max_tokens: Field required"],
    ["max_tokens 0", question("", { max_tokens: 0 }), "max_tokens: Input should be greater than or equal to 1"],
    ["max_tokens 1.5", question("", { max_tokens: 1.5 }), "max_tokens: Input should be a valid integer"],
    ["no messages", without("messages"), "messages: Field required"],
    ["an empty list", question("", { messages: [] }), "messages: at least one message is required"],
    [
      "an unknown role",
      question("", { messages: [{ role: "system", content: "x" }] }),
      "messages.0.role: Input should be 'user' or 'assistant'",
    ],
    ["no content", question("", { messages: [{ role: "user" }] }), "messages.0.content: Field required"],
    [
      "content of no kind",
      question("", { messages: [{ role: "user", content: 1 }] }),
      "messages.0.content: Input should be a valid string",
    ],
    [
      "an empty text",
      said({ type: "text", text: "" }),
      "messages.0.content.0.text: text content blocks must be non-empty",
    ],
    [
      "an unknown block",
      said({ type: "text", text: "a" }, { type: "video" }),
      "messages.0.content.1: Input tag 'video' found using 'type' does not match any of the expected tags",
    ],
    [
      "a picture by address",
      said({ type: "image", source: { type: "url", url: "https://x" } }),
      "messages.0.content.0.source.type: Input should be 'base64' or 'text' or 'content'",
    ],
    ["model", question("", { model: "claude" }), "model: Extra inputs are not permitted"],
    ["stream", question("", { stream: true }), "stream: Extra inputs are not permitted"],
    [
      "a field of the first party",
      question("", { service_tier: "auto" }),
      "service_tier: Extra inputs are not permitted",
    ],
    [
      "a cache scope",
      said({ type: "text", text: "a", cache_control: { type: "ephemeral", scope: "global" } }),
      "messages.0.content.0.cache_control.ephemeral.scope: Extra inputs are not permitted",
    ],
    ["another lifetime", said(mark("2h")), "messages.0.content.0.cache_control.ttl: Input should be '5m' or '1h'"],
    [
      "a tool's extra field",
      question("", { tools: [{ ...weather, eager_input_streaming: true }] }),
      "tools.0.custom.eager_input_streaming: Extra inputs are not permitted",
    ],
    ["a tool without schema", question("", { tools: [{ name: "x" }] }), "tools.0.custom.input_schema: Field required"],
    [
      "a server's tool",
      question("", { tools: [{ type: "web_search_20250305", name: "web_search" }] }),
      /^tools\.0\.type: /,
    ],
  ])("%s", (_, body, words) => {
    expect(() => checkBody(body, older)).toThrow(words);
    expect(() => checkBody(body, older)).toThrow(expect.objectContaining({ code: "ValidationException", status: 400 }));
  });
});

describe("what fields mean is refused too", () => {
  const thinking = { type: "enabled", budget_tokens: 1024 };
  test.each([
    ["an unknown beta flag", question("", { anthropic_beta: ["files-api-2025-04-14"] }), "invalid beta flag"],
    [
      "context management without its flag",
      question("", { context_management: {} }),
      "context_management: Extra inputs are not permitted",
    ],
    [
      "deferred tools without their flag",
      question("", { tools: [{ ...weather, defer_loading: true }] }),
      "tools.0.custom.defer_loading: Extra inputs are not permitted",
    ],
    [
      "a budget above max_tokens",
      question("", { thinking }),
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ],
    [
      "thinking and a forced tool",
      question("", { thinking, max_tokens: 2000, tools: [weather], tool_choice: { type: "any" } }),
      "Thinking may not be enabled when tool_choice forces tool use.",
    ],
    [
      "a choice without tools",
      question("", { tool_choice: { type: "any" } }),
      "tool_choice may only be specified while providing tools.",
    ],
    [
      "the choice of another tool",
      question("", { tools: [weather], tool_choice: { type: "tool", name: "x" } }),
      "Tool 'x' not found in provided tools",
    ],
    ["two tools of one name", question("", { tools: [weather, weather] }), "tools: Tool names must be unique."],
    [
      "five breakpoints",
      said(mark(), mark(), mark(), mark(), mark()),
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "an hour after five minutes",
      said(mark("5m"), mark("1h")),
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    ],
  ])("%s", (_, body, words) => {
    expect(() => checkBody(body, older)).toThrow(words);
  });

  test("but not with the flag it needs", () => {
    const body = question("hi", {
      anthropic_beta: ["context-management-2025-06-27", "tool-search-tool-2025-10-19"],
      context_management: { edits: [] },
      tools: [{ ...weather, defer_loading: true }],
    });
    expect(checkBody(body, older).context_management).toEqual({ edits: [] });
  });
});

describe("models refuse what they no longer or not yet know", () => {
  test.each([
    ["temperature", question("", { temperature: 1 }), newer, "`temperature` is deprecated for this model."],
    [
      "a thinking budget",
      question("", { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2000 }),
      newer,
      '"thinking.type.enabled" is not supported for this model.',
    ],
    [
      "adaptive thinking",
      question("", { thinking: { type: "adaptive" } }),
      older,
      "adaptive thinking is not supported on this model",
    ],
    [
      "effort",
      question("", { output_config: { effort: "low" } }),
      older,
      "output_config: Extra inputs are not permitted",
    ],
    [
      "a flag",
      question("", { anthropic_beta: ["context-1m-2025-08-07"] }),
      model("claude-opus-4-7"),
      "invalid beta flag",
    ],
  ])("%s", (_, body, refusing, words) => {
    expect(() => checkBody(body, refusing)).toThrow(words);
  });

  test("and others take it", () => {
    expect(() => checkBody(question("hi", { temperature: 1 }), older)).not.toThrow();
    expect(() =>
      checkBody(question("hi", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }), newer),
    ).not.toThrow();
  });
});

test("automatic caching is for models since 4.7", () => {
  const body = question("hi", { cache_control: { type: "ephemeral" } });
  expect(checkBody(body, newer).cache_control).toEqual({ type: "ephemeral" });
  for (const old of [older, model("claude-opus-4-6-v1")]) {
    expect(() => checkBody(body, old)).toThrow("cache_control: Extra inputs are not permitted");
  }
});

test("a prompt fits into the model's window, or is refused in the words that clients know", () => {
  const asking = (characters: number) => () => checkPrompt(checkBody(question("x".repeat(characters)), older), older);
  expect(asking(4 * 199_990)).not.toThrow();
  expect(asking(4 * 200_000)).toThrow("prompt is too long: 200003 tokens > 200000 maximum");
});

test("a body may have 20 MB and no more", () => {
  expect(() => checkSize(maximumBodyBytes)).not.toThrow();
  expect(() => checkSize(maximumBodyBytes + 1)).toThrow("Member must have length less than or equal to 20000000");
});

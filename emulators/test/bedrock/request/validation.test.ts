import { describe, expect, test } from "@jest/globals";
import { findModel, knownModels, modelReference } from "../../../bedrock/models.ts";
import { checkBody, checkLimits, checkSize, maximumBodyBytes } from "../../../bedrock/request/validation.ts";
import { question } from "../../support/model-host-server.ts";

const model = (id: string) =>
  findModel(knownModels, modelReference(`global.anthropic.${id}`, "us-east-1"), "us-east-1");
const older = model("claude-sonnet-4-5-20250929-v1:0");
const newer = model("claude-sonnet-5");

const weather = { name: "get_weather", input_schema: { type: "object", properties: {} } };
const mark = (ttl?: string) => ({ type: "text", text: "x", cache_control: { type: "ephemeral", ...(ttl && { ttl }) } });
const said = (...content: object[]) => question("hi", { messages: [{ role: "user", content }] });
const without = (field: string) =>
  Object.fromEntries(Object.entries(question("hi")).filter(([name]) => name !== field));

test("a body with every allowed field is accepted", () => {
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
      question("hi", { anthropic_version: "2023-06-01" }),
      "anthropic_version: Input should be 'bedrock-2023-05-31'",
    ],
    ["no max_tokens", without("max_tokens"), "max_tokens: Field required"],
    ["max_tokens 0", question("hi", { max_tokens: 0 }), "max_tokens: Input should be greater than or equal to 1"],
    ["max_tokens 1.5", question("hi", { max_tokens: 1.5 }), "max_tokens: Input should be a valid integer"],
    // Its region and inference profile say where it runs (platform.claude.com, "Data residency").
    ["a place", question("hi", { inference_geo: "us" }), "inference_geo: Extra inputs are not permitted"],
    ["no messages", without("messages"), "messages: Field required"],
    ["an empty list", question("hi", { messages: [] }), "messages: at least one message is required"],
    [
      "an unknown role",
      question("hi", { messages: [{ role: "tool", content: "x" }] }),
      "messages.0.role: Input should be 'user' or 'assistant'",
    ],
    ["no content", question("hi", { messages: [{ role: "user" }] }), "messages.0.content: Field required"],
    [
      "content of no kind",
      question("hi", { messages: [{ role: "user", content: 1 }] }),
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
      "messages.0.content.0.source.type: Input should be 'base64'",
    ],
    [
      "safeguards without their flag",
      question("hi", { safeguards: [{ type: "dangerous_tool_use" }] }),
      "safeguards: Extra inputs are not permitted",
    ],
    ["model", question("hi", { model: "claude" }), "model: Extra inputs are not permitted"],
    ["stream", question("hi", { stream: true }), "stream: Extra inputs are not permitted"],
    [
      "a field of the first party",
      question("hi", { service_tier: "auto" }),
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
      question("hi", { tools: [{ ...weather, eager_input_streaming: true }] }),
      "tools.0.custom.eager_input_streaming: Extra inputs are not permitted",
    ],
    [
      "a tool without schema",
      question("hi", { tools: [{ name: "x" }] }),
      "tools.0.custom.input_schema: Field required",
    ],
    [
      "a server's tool",
      question("hi", { tools: [{ type: "web_search_20250305", name: "web_search" }] }),
      /^tools\.0: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags: 'bash_20241022', .*'custom', /,
    ],
  ])("%s", (_, body, words) => {
    expect(() => checkBody(body, older)).toThrow(words);
    expect(() => checkBody(body, older)).toThrow(expect.objectContaining({ code: "ValidationException", status: 400 }));
  });
});

describe("none of the validator's own words leave the host", () => {
  const wrong: unknown[] = [
    null,
    true,
    -1,
    1.5,
    1e300,
    "",
    "x".repeat(200),
    [],
    [[]],
    [null],
    {},
    { type: "x" },
    { a: 1 },
  ];
  const whole = {
    ...question("hi", { system: [{ type: "text", text: "x" }], thinking: { type: "enabled", budget_tokens: 2000 } }),
    tools: [{ ...weather, description: "", strict: true, cache_control: { type: "ephemeral", ttl: "5m" } }],
    tool_choice: { type: "tool", name: "get_weather" },
    metadata: { user_id: "u" },
    stop_sequences: ["x"],
    temperature: 1,
    top_k: 1,
    anthropic_beta: ["context-management-2025-06-27"],
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    output_config: { format: { type: "json_schema", schema: {} }, effort: "low" },
    messages: [
      { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }] },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "x", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "x" }] }] },
      { role: "system", content: "x", output_config: { effort: "low" } },
    ],
  };

  /** The body with each of its parts in turn replaced by something wrong. */
  function* broken(value: unknown, rebuild: (part: unknown) => unknown): Generator<unknown> {
    for (const other of wrong) yield rebuild(other);
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      const put = (changed: unknown) =>
        Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
      yield* broken(part, (changed) => rebuild(put(changed)));
    }
  }

  const known =
    /Field required|Input should be|Extra inputs are not permitted|(String|List) should have at |Input tag |Malformed input|at least one message|must be non-empty|invalid beta flag|not supported|deprecated|must be |must come|may (not|only) be|not found in provided|must follow|must contain|top-level/;

  test("no error about a body contains the wording of the validation library", () => {
    const told = new Set<string>();
    for (const body of broken(whole, (changed) => changed)) {
      for (const model of [older, newer]) {
        try {
          checkBody(body, model);
        } catch (error) {
          expect(error).toMatchObject({ code: "ValidationException" });
          told.add((error as Error).message);
        }
      }
    }
    expect(told.size).toBeGreaterThan(100);
    expect([...told].filter((message) => !known.test(message))).toEqual([]);
    expect(
      [...told].filter((message) => /Invalid |received|pattern|\bregex\b|>=|<=|\^|undefined/.test(message)),
    ).toEqual([]);
  });
});

describe("what fields mean is refused too", () => {
  const thinking = { type: "enabled", budget_tokens: 1024 };
  test.each([
    ["an unknown beta flag", question("hi", { anthropic_beta: ["files-api-2025-04-14"] }), "invalid beta flag"],
    [
      "context management without its flag",
      question("hi", { context_management: {} }),
      "context_management: Extra inputs are not permitted",
    ],
    [
      "deferred tools without their flag",
      question("hi", { tools: [{ ...weather, defer_loading: true }] }),
      "tools.0.custom.defer_loading: Extra inputs are not permitted",
    ],
    [
      "a budget above max_tokens",
      question("hi", { thinking }),
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ],
    [
      "thinking and a forced tool",
      question("hi", { thinking, max_tokens: 2000, tools: [weather], tool_choice: { type: "any" } }),
      "Thinking may not be enabled when tool_choice forces tool use.",
    ],
    [
      "a choice without tools",
      question("hi", { tool_choice: { type: "any" } }),
      "tool_choice may only be specified while providing tools.",
    ],
    [
      "the choice of another tool",
      question("hi", { tools: [weather], tool_choice: { type: "tool", name: "x" } }),
      "Tool 'x' not found in provided tools",
    ],
    ["two tools of one name", question("hi", { tools: [weather, weather] }), "tools: Tool names must be unique."],
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

  test("a field is accepted together with the flag that it needs", () => {
    const body = question("hi", {
      anthropic_beta: ["context-management-2025-06-27", "tool-search-tool-2025-10-19"],
      context_management: { edits: [] },
      tools: [{ ...weather, defer_loading: true }],
    });
    expect(checkBody(body, older).context_management).toEqual({ edits: [] });
  });
});

describe("what needs a flag is an extra input without it", () => {
  const adaptive = (more: object) => question("hi", { thinking: { type: "adaptive", ...more } });
  const directive = { role: "system", content: [], output_config: { effort: "low" } };
  const turns = (...more: object[]) => question("hi", { messages: [{ role: "user", content: "hi" }, ...more] });
  const change = { role: "system", content: [{ type: "tool_addition", tool: weather }] };

  test.each<[string, object, string[], string]>([
    [
      "progress updates in place of thinking",
      adaptive({ display: "updates" }),
      ["thinking-display-updates-2026-08-18"],
      "thinking.adaptive.display: Input should be 'summarized', 'omitted'",
    ],
    [
      "the binding of thinking blocks",
      adaptive({ block_binding: { prefix_mismatch_behavior: "drop_block" } }),
      ["thinking-binding-controls-2026-08-01"],
      "thinking.adaptive.block_binding: Extra inputs are not permitted",
    ],
    [
      "effort from one turn on",
      turns(directive),
      ["per-turn-control-2026-07-01", "mid-conversation-output-config-2026-07-01"],
      "messages.1.output_config: Extra inputs are not permitted",
    ],
    [
      "tools added on the way",
      turns(change),
      ["mid-conversation-tool-changes-2026-07-01"],
      "messages.1.content.0: Input tag 'tool_addition' found using 'type' does not match any of the expected tags: 'text'",
    ],
  ])("%s", (_, body, flags, words) => {
    expect(() => checkBody(body, newer)).toThrow(words);
    for (const flag of flags) expect(() => checkBody({ ...body, anthropic_beta: [flag] }, newer)).not.toThrow();
  });
});

describe("what Bedrock has no flag for is always an extra input", () => {
  const bash = { type: "bash_20250124", name: "bash", of_tomorrow: 1 };
  const result = { type: "tool_result", tool_use_id: "u", content: [{ type: "text", text: "a", of_tomorrow: 1 }] };
  test.each<[string, object, string]>([
    [
      "a field of a text",
      said({ type: "text", text: "a", x: 1 }),
      "messages.0.content.0.text.x: Extra inputs are not permitted",
    ],
    [
      "a field of a system block",
      question("hi", { system: [{ type: "text", text: "a", x: 1 }] }),
      "system.0.x: Extra inputs are not permitted",
    ],
    [
      "a field of a tool's result",
      said(result),
      "messages.0.content.0.content.0.text.of_tomorrow: Extra inputs are not permitted",
    ],
    [
      "a field of the vendor's tool",
      question("hi", { tools: [bash] }),
      "tools.0.of_tomorrow: Extra inputs are not permitted",
    ],
    [
      "effort in a user's turn",
      question("hi", { messages: [{ role: "user", content: "hi", output_config: { effort: "low" } }] }),
      "messages.0.output_config: Extra inputs are not permitted",
    ],
    [
      "a system turn that is cleared",
      question("hi", {
        messages: [
          { role: "user", content: "hi" },
          { role: "system", content: "x", clear_at: "next_user_message" },
        ],
      }),
      "messages.1.clear_at: Extra inputs are not permitted",
    ],
    [
      "a task's budget",
      question("hi", { output_config: { task_budget: { type: "tokens", total: 20_000 } } }),
      "output_config.task_budget: Extra inputs are not permitted",
    ],
    [
      "the display of no thinking",
      question("hi", { thinking: { type: "disabled", display: "omitted" } }),
      "thinking.disabled.display: Extra inputs are not permitted",
    ],
    [
      "thinking between tools",
      question("hi", { thinking: { type: "between_tools" } }),
      'thinking.type.between_tools" is not supported for this model.',
    ],
    [
      "the clearing of thinking",
      question("hi", {
        anthropic_beta: ["context-management-2025-06-27"],
        context_management: { edits: [{ type: "clear_thinking_20251015" }] },
      }),
      "context_management.edits.0: Input tag 'clear_thinking_20251015' found using 'type' does not match any of the expected tags: 'clear_tool_uses_20250919', 'compact_20260112'",
    ],
    ["the speed", question("hi", { speed: "fast" }), "speed: Extra inputs are not permitted"],
    ["the thread", question("hi", { thread: { type: "create" } }), "thread: Extra inputs are not permitted"],
  ])("%s", (_, body, words) => {
    expect(() => checkBody(body, newer)).toThrow(words);
  });

  test.each([
    "claude-code-20250219",
    "fast-mode-2026-02-01",
    "thinking-token-count-2026-05-13",
    "advanced-tool-use-2025-11-20",
    "token-counting-2024-11-01",
    "extended-cache-ttl-2025-04-11",
    "structured-outputs-2025-11-13",
    "structured-outputs-2025-12-15",
    "message-threads-2026-08-12",
    "prompt-caching-2024-07-31",
    "mid-conversation-system-2026-04-07",
  ])("a request without the flag %s is refused", (flag) => {
    expect(() => checkBody(question("hi", { anthropic_beta: [flag] }), newer)).toThrow(/^invalid beta flag$/);
  });
});

describe("system turns inside messages", () => {
  const body = question("hi", {
    messages: [
      { role: "user", content: "hi" },
      { role: "system", content: "Be brief." },
    ],
  });

  test.each(["opus-4-8", "opus-5", "sonnet-5", "fable-5", "fable-5-1", "opus-5-5", "sonnet-5-5", "haiku-5-5"])(
    "system turns inside messages are accepted by %s",
    (name) => {
      expect(checkBody(body, model(`claude-${name}`)).messages[1]).toEqual({ role: "system", content: "Be brief." });
    },
  );

  test("system turns inside messages are refused by Opus 4.7, and in other words by older models", () => {
    expect(() => checkBody(body, model("claude-opus-4-7"))).toThrow("role 'system' is not supported on this model");
    for (const old of ["haiku-4-5-20251001-v1:0", "sonnet-4-6", "opus-4-6-v1"]) {
      expect(() => checkBody(body, model(`claude-${old}`))).toThrow(
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      );
    }
  });
});

describe("output_config", () => {
  const format = { type: "json_schema", schema: { type: "object" } };

  test("output_config chooses the format of the answer for every model", () => {
    for (const each of knownModels)
      expect(() => checkBody(question("hi", { output_config: { format } }), each)).not.toThrow();
  });

  test("output_config sets the effort for models from 4.6 on, and for Opus 4.5 with a flag", () => {
    const asking = question("hi", { output_config: { effort: "high" } });
    expect(() => checkBody(asking, model("claude-sonnet-4-6"))).not.toThrow();
    const opus = model("claude-opus-4-5-20251101-v1:0");
    expect(() => checkBody(asking, opus)).toThrow("output_config: Extra inputs are not permitted");
    expect(() => checkBody({ ...asking, anthropic_beta: ["effort-2025-11-24"] }, opus)).not.toThrow();
    expect(() => checkBody({ ...asking, anthropic_beta: ["effort-2025-11-24"] }, older)).toThrow(
      "output_config: Extra",
    );
  });
});

describe("models refuse what they no longer or not yet know", () => {
  test.each([
    ["temperature", question("hi", { temperature: 0.7 }), newer, "`temperature` is deprecated for this model."],
    [
      "a thinking budget",
      question("hi", { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2000 }),
      newer,
      '"thinking.type.enabled" is not supported for this model.',
    ],
    [
      "adaptive thinking",
      question("hi", { thinking: { type: "adaptive" } }),
      older,
      "adaptive thinking is not supported on this model",
    ],
    [
      "effort",
      question("hi", { output_config: { effort: "low" } }),
      older,
      "output_config: Extra inputs are not permitted",
    ],
    [
      "a flag",
      question("hi", { anthropic_beta: ["context-1m-2025-08-07"] }),
      model("claude-opus-4-7"),
      "invalid beta flag",
    ],
  ])("%s", (_, body, refusing, words) => {
    expect(() => checkBody(body, refusing)).toThrow(words);
  });

  test("a field that some models refuse is accepted for other models", () => {
    expect(() => checkBody(question("hi", { temperature: 1 }), older)).not.toThrow();
    expect(() =>
      checkBody(question("hi", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }), newer),
    ).not.toThrow();
  });
});

test("automatic caching is accepted for models from 4.7 on", () => {
  const body = question("hi", { cache_control: { type: "ephemeral" } });
  expect(checkBody(body, newer).cache_control).toEqual({ type: "ephemeral" });
  for (const old of [older, model("claude-opus-4-6-v1")]) {
    expect(() => checkBody(body, old)).toThrow("cache_control: Extra inputs are not permitted");
  }
});

test("a prompt larger than the model's context window is refused with the message that clients recognize", () => {
  const asking = (characters: number) => () => checkLimits(checkBody(question("x".repeat(characters)), older), older);
  expect(asking(4 * 199_990)).not.toThrow();
  expect(asking(4 * 200_000)).toThrow("prompt is too long: 200003 tokens > 200000 maximum");
});

test("max_tokens is at most the model's limit", () => {
  const asking = (max_tokens: number) => () => checkLimits(checkBody(question("hi", { max_tokens }), older), older);
  expect(asking(64_000)).not.toThrow();
  expect(asking(64_001)).toThrow(
    "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
  );
});

test("the body of a call has at most 20 MB", () => {
  expect(() => checkSize(maximumBodyBytes)).not.toThrow();
  expect(() => checkSize(maximumBodyBytes + 1)).toThrow("Member must have length less than or equal to 20000000");
});

test("the budget of interleaved thinking may exceed max_tokens, because it covers all calls of a turn", () => {
  const thinking = { type: "enabled", budget_tokens: 4096 };
  const flag = { anthropic_beta: ["interleaved-thinking-2025-05-14"] };
  expect(() => checkBody(question("hi", { thinking, ...flag }), older)).not.toThrow();
  expect(() => checkBody(question("hi", { thinking }), older)).toThrow("must be greater than `thinking.budget_tokens`");
});

describe("what the newest clients send back is taken", () => {
  const turns = (...content: object[]) =>
    question("hi", {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content },
        { role: "user", content: "go on" },
      ],
    });
  const use = { type: "server_tool_use", id: "s1", name: "tool_search_tool_regex", input: { query: "weather" } };

  test("the blocks of the tool search tool are taken in the history", () => {
    const found = { type: "tool_search_tool_search_result", tool_references: [] };
    const body = turns(use, { type: "tool_search_tool_result", tool_use_id: "s1", content: found });
    for (const each of knownModels) expect(() => checkBody(body, each)).not.toThrow();
  });

  test.each(["fallback", "mcp_tool_use", "container_upload", "mcp_tool_listing", "compaction"])(
    "a block of type %s is taken",
    (type) => {
      expect(() => checkBody(turns({ type }), newer)).not.toThrow();
    },
  );

  test("a tool's result may hold the state of a browser", () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "get_weather", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "browser_state", tabs: [] }] }],
      },
    ];
    expect(() => checkBody(question("hi", { messages, tools: [weather] }), newer)).not.toThrow();
  });

  test("an answer that ends in the use of a server's tool may be continued", () => {
    const messages = turns(use).messages.slice(0, 2);
    expect(() => checkBody(question("hi", { messages }), newer)).not.toThrow();
  });

  test.each(["browser_toolset_20260801", "computer_toolset_20260801"])("the toolset %s is taken", (type) => {
    expect(() => checkBody(question("hi", { tools: [{ type }, weather] }), newer)).not.toThrow();
  });

  test.each([
    ["temperature", 1],
    ["top_p", 0.99],
  ])("models since 4.7 take the %s of %p", (field, value) => {
    for (const name of ["opus-4-7", "fable-5", "fable-5-2", "sonnet-5-5"]) {
      expect(() => checkBody(question("hi", { [field]: value }), model(`claude-${name}`))).not.toThrow();
    }
  });
});

test("a picture by address inside a document is refused too", () => {
  const picture = { type: "image", source: { type: "url", url: "https://x" } };
  const body = said({ type: "document", source: { type: "content", content: [picture] } });
  expect(() => checkBody(body, older)).toThrow(
    "messages.0.content.0.source.content.0.source.type: Input should be 'base64'",
  );
});

test("neighbouring messages of one role count as one for the pairing of tools", () => {
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "get_weather", input: {} }] },
    { role: "assistant", content: [{ type: "tool_use", id: "t2", name: "get_weather", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t2" }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1" },
        { type: "text", text: "go on" },
      ],
    },
    { role: "system", content: "Be brief." },
  ];
  expect(() => checkBody(question("hi", { messages, tools: [weather] }), newer)).not.toThrow();
});

test("system turns have their place before an answer or at the end, and directives may be anywhere", () => {
  const user = { role: "user", content: "hi" };
  const assistant = { role: "assistant", content: "Hello" };
  const system = { role: "system", content: "Be brief." };
  const directive = { role: "system", content: [], output_config: { effort: "low" } };
  for (const messages of [
    [user, system],
    [user, system, assistant, user],
    [user, system, system, assistant, user, system],
    [directive, user, directive, assistant, directive, user],
  ]) {
    const flags = { anthropic_beta: ["mid-conversation-output-config-2026-07-01"] };
    expect(() => checkBody(question("hi", { messages, ...flags }), newer)).not.toThrow();
  }
});

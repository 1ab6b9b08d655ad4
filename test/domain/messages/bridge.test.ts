import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isListed } from "../../../domain/catalog/capability.ts";
import { findModel, type Model, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { parseMessagesBody as parseWithin } from "../../../domain/messages/body.ts";
import { bridge } from "../../../domain/messages/bridge.ts";
import { bridgeCount } from "../../../domain/messages/counting.ts";
import type { ModelRequest } from "../../../domain/messages/model-host.ts";
import { betaFlags } from "../../../handlers/proxy/request.ts";

const catalog = parseCatalog(catalogData);
const model = findModel(catalog, "claude-sonnet-5") as Model;
const older = findModel(catalog, "claude-haiku-4-5") as Model;
const base = { model: "claude-sonnet-5", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };
const maxBodyBytes = 1_000_000;
const parseMessagesBody = (text: string) => parseWithin(text, { maxBytes: maxBodyBytes });
const body = (changes: object = {}) => parseMessagesBody(JSON.stringify({ ...base, ...changes }));
const headerFlags = (flags = "") => betaFlags({ "anthropic-beta": flags });
const sent = (changes: object, betas?: string, to: Model = model) =>
  fieldsOf(bridge(body(changes), to, headerFlags(betas)));

/** The fields of the body; if there are flags and metadata, with them. */
function fieldsOf({ body, betas, metadata }: ModelRequest) {
  return { ...JSON.parse(body), ...(betas.length > 0 && { betas }), ...(metadata !== undefined && { metadata }) };
}

function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("the bridge", () => {
  test("the body for the model host has no model and no stream, and keeps the other fields", () => {
    const rest = { system: "be brief", temperature: 0.5, metadata: { user_id: "u" }, of_the_future: { a: [1, null] } };
    expect(sent({ ...rest, stream: true })).toEqual({
      max_tokens: 10,
      messages: base.messages,
      ...rest,
    });
  });

  test("the body for the model host has no version, because each host expects it elsewhere", () => {
    const bridged = bridge(body({ anthropic_version: "2026-10-21" }), model, []);
    expect([fieldsOf(bridged), bridged.dropped]).toEqual([{ max_tokens: 10, messages: base.messages }, []]);
  });

  test("flags of header and body are sent to the model host together, each once, trimmed, without those that the model is known to refuse", () => {
    const flags = " context-management-2025-06-27 ,,oauth-2025-04-20, advanced-tool-use-2025-11-20,something-new-2027";
    const inBody = ["context-management-2025-06-27", 7, "claude-code-20250219", "tool-search-tool-2025-10-19"];
    expect(sent({ anthropic_beta: inBody }, flags).betas).toEqual([
      "context-management-2025-06-27",
      "tool-search-tool-2025-10-19",
      "something-new-2027",
    ]);
    expect(sent({}, "oauth-2025-04-20")).not.toHaveProperty("betas");
    expect(Object.keys(sent({ anthropic_beta: "no list" })).sort()).toEqual(["max_tokens", "messages"]);
  });

  test("fields that depend on a flag are sent to the model host only together with the flag", () => {
    const edits = {
      context_management: { edits: [{ type: "compact_20260112" }, { type: "clear_thinking_20251015" }] },
    };
    expect(sent(edits)).not.toHaveProperty("context_management");
    expect(sent(edits, "compact-2026-01-12").context_management).toEqual({ edits: [{ type: "compact_20260112" }] });
  });

  test("fields that are known to be refused are removed wherever they are, and nothing beside them", () => {
    const cached = { cache_control: { type: "ephemeral", ttl: "1h", scope: "global" } };
    const kept = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const result = sent({
      service_tier: "auto",
      tools: [{ name: "a", defer_loading: true, eager_input_streaming: true, input_schema: {}, ...cached }],
      system: [{ type: "text", text: "s", ...cached }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "t", ...cached },
            { type: "tool_result", content: [{ type: "tool_reference" }, { type: "text", text: "u", ...cached }] },
          ],
        },
      ],
    });
    expect(result).toEqual({
      max_tokens: 10,
      tools: [{ name: "a", input_schema: {}, ...kept }],
      system: [{ type: "text", text: "s", ...kept }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "t", ...kept },
            { type: "tool_result", content: [{ type: "text", text: "u", ...kept }] },
          ],
        },
      ],
    });
  });

  test("removing a field also removes parts of the body that only served it", () => {
    const edits = { context_management: { edits: [{ type: "clear_thinking_20251015" }] } };
    expect(sent(edits, "context-management-2025-06-27")).not.toHaveProperty("context_management");
  });

  test("a field that an older model refuses is removed only for that model", () => {
    const asked = { output_config: { effort: "low" }, cache_control: { type: "ephemeral" } };
    expect(sent(asked)).toMatchObject(asked);
    expect(Object.keys(sent(asked, undefined, older)).sort()).toEqual(["max_tokens", "messages"]);
  });
});

describe("a sampling parameter", () => {
  const sampling = { temperature: 1, top_p: 1 };

  test.each(["1", "1.0", "1e0"])(
    "a sampling parameter of %s is removed and named for a model that accepts none",
    (one) => {
      const asked = parseMessagesBody(JSON.stringify({ ...base, ...sampling }).replaceAll(":1,", `:${one},`));
      const bridged = bridge(asked, model, []);
      expect(Object.keys(JSON.parse(bridged.body))).not.toEqual(expect.arrayContaining(["temperature"]));
      expect(bridged.dropped).toEqual(["temperature=1", "top_p=1"]);
    },
  );

  test("a sampling parameter with another value is sent, so that the model host refuses it", () => {
    const other = { temperature: 0, top_p: 0.9, top_k: 5 };
    expect(sent(other)).toMatchObject(other);
    expect(sent({ temperature: "1" })).toMatchObject({ temperature: "1" });
  });

  test("a sampling parameter is sent unchanged to a model that accepts it", () => {
    expect(sent({ temperature: 1 }, undefined, older)).toMatchObject({ temperature: 1 });
  });
});

describe("what was left out", () => {
  const dropped = (changes: object, betas?: string, to: Model = model) =>
    bridge(body(changes), to, headerFlags(betas)).dropped;

  test("removed parts are named: flags as the caller wrote them, fields by their path, and nothing that was not in the body", () => {
    const tools = [{ name: "a", eager_input_streaming: true, input_schema: {} }];
    const context_management = { edits: [{ type: "clear_thinking_20251015" }, { type: "compact_20260112" }] };
    const flags = "claude-code-20250219, advanced-tool-use-2025-11-20,compact-2026-01-12,speedy-2027-01-01";
    expect(dropped({ tools, context_management, speed: "fast" }, flags)).toEqual([
      "claude-code-20250219",
      "speed",
      "context_management.edits[].type=clear_thinking_20251015",
      "tools[].eager_input_streaming",
    ]);
    expect(dropped({ system: "s" })).toEqual([]);
  });
});

describe("flags that no table lists", () => {
  const flags = "new-2027-01-01,effort-2025-11-24,newer-2027-02-02,claude-code-20250219";

  test("unlisted flags are tried, and the body without them is prepared", () => {
    const bridged = bridge(body({ anthropic_beta: ["newest-2027-03-03"] }), model, headerFlags(flags));
    expect(bridged.suspects).toEqual(["new-2027-01-01", "newer-2027-02-02", "newest-2027-03-03"]);
    expect(bridged.betas).toEqual(["new-2027-01-01", "effort-2025-11-24", "newer-2027-02-02", "newest-2027-03-03"]);
    const { body: rest, betas } = bridged.without({ flags: bridged.suspects, fields: [] });
    expect([rest, betas]).toEqual([bridged.body, ["effort-2025-11-24"]]);
  });

  test("unlisted flags are removed together and named if the model host is known to refuse one of them", () => {
    const refusesFlags = (sent: readonly string[]) => sent.includes("new-2027-01-01");
    const bridged = bridge(body(), model, headerFlags(flags), { refusesFlags, fieldsRefusedWith: () => [] });
    expect(bridged.betas).toEqual(["effort-2025-11-24"]);
    expect(bridged.dropped).toEqual(["new-2027-01-01", "newer-2027-02-02", "claude-code-20250219"]);
  });

  test.each(["with space", "ar_live_abc", "é", "x".repeat(65), "-a", "a\n"])(
    "the malformed flag %j is not tried",
    (odd) => {
      const bridged = bridge(body({ anthropic_beta: [odd] }), model, []);
      expect([bridged.suspects, bridged.dropped]).toEqual([[], [odd]]);
      expect(bridged.betas).toEqual([]);
    },
  );

  test("unlisted flags are not tried for a count, which they hardly change", () => {
    expect(bridgeCount(body(), model, headerFlags(flags)).betas).toEqual(["effort-2025-11-24"]);
  });

  test("at most a hundred unlisted flags are tried", () => {
    const many = Array.from({ length: 101 }, (_, index) => `flag-${index}`).join();
    expect(refusalOf(() => bridge(body(), model, headerFlags(many))).message).toBe(
      "anthropic-beta: must name at most 100 flags",
    );
  });
});

describe("a field that the model host does not know", () => {
  const flag = "context-management-2025-06-27";
  const changes = {
    of_tomorrow: 1,
    context_management: { edits: [] },
    tools: [
      { name: "a", input_schema: { x: 1 }, x: 1, strict: true },
      { name: "b", input_schema: {}, x: 2 },
      { name: "bash", type: "bash_20250124", x: 3 },
    ],
  };
  const bridged = () => bridge(body(changes), model, [flag]);
  const without = (...paths: string[]) => {
    const asked = bridged();
    return asked.without({ flags: [], fields: asked.named(paths) });
  };

  test("an unknown field that the model host refuses is removed from all parts of the same kind, and named", () => {
    const { body: sent, dropped } = without("tools.0.custom.x", "of_tomorrow");
    expect(dropped).toEqual(["tools[].x", "of_tomorrow"]);
    expect(JSON.parse(sent)).toEqual({
      max_tokens: 10,
      messages: base.messages,
      context_management: { edits: [] },
      tools: [
        { name: "a", input_schema: { x: 1 }, strict: true },
        { name: "b", input_schema: {} },
        { name: "bash", type: "bash_20250124", x: 3 },
      ],
    });
  });

  test("a field that the model host refuses is removed together with the flag that it needs", () => {
    const { body: sent, dropped } = without("context_management");
    expect([JSON.parse(sent).context_management, dropped]).toEqual([undefined, [flag, "context_management"]]);
  });

  test.each([
    [
      "output_config.task_budget",
      { output_config: { task_budget: { type: "tokens", total: 9 } } },
      "task-budgets-2026-03-13",
    ],
    [
      "messages[].clear_at",
      { messages: [{ role: "system", content: "s", clear_at: "end" }] },
      "mid-conversation-system-clear-at-2026-08-21",
    ],
  ])("the nested field %s is sent and removed together with its flag", (name, changes, needed) => {
    expect(bridge(body(changes), model, []).dropped).toEqual([name]);
    const asked = bridge(body(changes), model, [needed]);
    expect([asked.betas, asked.dropped]).toEqual([[needed], []]);
    const path = name.replace("[]", ".0");
    const gone = asked.without({ flags: [], fields: asked.named([path]) });
    expect([gone.betas, gone.dropped]).toEqual([[], [needed, name]]);
  });

  test.each([
    ["tools.0.custom.strict", "tools[].strict"],
    ["tools", "tools"],
    ["messages", "messages"],
  ])("a field whose removal would change the answer's meaning is refused by name: %s", (path, name) => {
    const refusal = refusalOf(() => without(path));
    expect([refusal.code, refusal.message]).toEqual([
      "invalid_request",
      `${name}: is not available here, the model host does not know it`,
    ]);
  });

  test("an empty field is removed, whatever its meaning", () => {
    const asked = bridge(body({ output_config: { format: null } }), model, []);
    expect(asked.without({ flags: [], fields: asked.named(["output_config.format"]) }).dropped).toEqual([
      "output_config.format",
    ]);
  });

  test("the request for a summary is sent together with its flag, and refused by name without the flag", () => {
    const asked = { compaction: { type: "summarize" } };
    expect(sent(asked, "compact-2026-09-04").compaction).toEqual(asked.compaction);
    expect(refusalOf(() => sent(asked)).message).toMatch(/^compaction: is not available here, /);
  });

  test.each(["not_there", "constructor", "__proto__", "tools.0.input_schema.x", "tools.9.x"])(
    "nothing is removed if the model host names %s, which is not a field of the request",
    (path) => expect(bridged().named(["of_tomorrow", path])).toEqual([]),
  );

  test("a field that is known to be refused together with its flag is removed with the flag from the first try on, and the flag is sent without the field", () => {
    const known = { refusesFlags: () => false, fieldsRefusedWith: () => ["context_management"] };
    const { betas, dropped } = bridge(body(changes), model, [flag], known);
    expect([betas, dropped]).toEqual([[], [flag, "context_management"]]);
    expect(bridge(body(), model, [flag], known).betas).toEqual([flag]);
  });

  test("a field that is known to be refused is removed from the first try on", () => {
    const known = { refusesFlags: () => false, fieldsRefusedWith: () => ["tools[]:.x", "system[]:text.y"] };
    const told = bridge(body(changes), model, [flag], known);
    expect([JSON.parse(told.body).tools.map((tool: object) => "x" in tool), told.dropped]).toEqual([
      [false, false, true],
      ["tools[].x"],
    ]);
  });
});

describe("thinking that is bound to another conversation", () => {
  const binding = "thinking-binding-controls-2026-08-01";
  const dropping = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const tools = [{ name: "a", input_schema: {}, eager_input_streaming: true }];

  test("thinking that is bound to a conversation is dropped by the model host, with the flag for that, if the proxy changed the caller's prefix", () => {
    for (const thinking of [undefined, { type: "adaptive" }]) {
      const again = bridge(body({ tools, thinking }), model, []).withoutBoundThinking();
      expect([JSON.parse(again?.body ?? "").thinking, again?.betas]).toEqual([dropping, [binding]]);
      expect(again?.dropped).toEqual(["messages[].content[].type=thinking"]);
    }
  });

  test.each([
    ["the caller's prefix was not changed", {}],
    [
      "the caller says what becomes of it",
      { tools, thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "error" } } },
    ],
    ["the model does not think", { tools, thinking: { type: "disabled" } }],
  ])("thinking that is bound to a conversation is refused by the model host if %s", (_, changes) => {
    expect(bridge(body(changes), model, [binding]).withoutBoundThinking()).toBeUndefined();
  });
});

describe("flags that are taken out again", () => {
  const flags =
    "context-management-2025-06-27,thinking-display-updates-2026-08-18,advanced-tool-use-2025-11-20,new-2027-01-01";
  const asked = {
    speed: "fast",
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    thinking: { type: "adaptive", display: "updates" },
    tools: [{ name: "a", defer_loading: true, input_schema: {} }],
  };

  test("removing flags also removes the fields that need them, and all are named as the caller wrote them", () => {
    const bridged = bridge(body(asked), model, headerFlags(flags));
    const { context_management, thinking, tools } = asked;
    expect(JSON.parse(bridged.body)).toMatchObject({ context_management, thinking, tools });
    expect(bridged.dropped).toEqual(["speed"]);
    const listed = bridged.without({ flags: bridged.suspects, fields: [] });
    expect(listed.dropped).toEqual(["new-2027-01-01"]);
    expect(JSON.parse(listed.body)).toMatchObject({ context_management, thinking, tools });
    const none = listed.without({ flags: listed.suspects, fields: [] });
    expect([none.suspects, none.dropped]).toEqual([
      [],
      [
        ...["context-management-2025-06-27", "thinking-display-updates-2026-08-18", "advanced-tool-use-2025-11-20"],
        ...["context_management", "thinking.display=updates", "tools[].defer_loading"],
      ],
    ]);
    expect(JSON.parse(none.body)).toEqual({
      max_tokens: 10,
      messages: base.messages,
      thinking: { type: "adaptive" },
      tools: [{ name: "a", input_schema: {} }],
    });
  });

  test("removing flags keeps a field that needs none: another display of thinking", () => {
    const thinking = { type: "adaptive", display: "omitted" };
    expect(sent({ thinking }).thinking).toEqual(thinking);
  });
});

test.each(catalog.models.map((model) => [model.id, model] as const))(
  "every flag and field that today's assistants send is listed, so that no call is refused: %s",
  (_id, to) => {
    const flags =
      "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,per-turn-control-2026-07-01," +
      "mid-conversation-tool-changes-2026-07-01,thinking-token-count-2026-05-13,advanced-tool-use-2025-11-20," +
      "effort-2025-11-24,thinking-display-updates-2026-08-18,extended-cache-ttl-2025-04-11,context-1m-2025-08-07," +
      "prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,structured-outputs-2025-11-13," +
      "pdfs-2024-09-25,fallback-credit-2026-06-01,afk-mode-2026-01-31,dangerous-tool-use-2026-09-03";
    expect(flags.split(",").filter((flag) => !isListed(to.capabilities, flag))).toEqual([]);
  },
);

describe("system turns among the messages", () => {
  const messages = [
    { role: "user", content: "a" },
    { role: "system", content: [{ type: "text", text: "b" }] },
    { role: "assistant", content: "c" },
    { role: "system", content: "d" },
  ];

  test("system turns among the messages are sent unchanged to a model that accepts them", () => {
    expect(sent({ messages }).messages).toEqual(messages);
  });

  test.each(["claude-opus-4-7", "claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-5", "claude-haiku-4-5"])(
    "system turns among the messages become user turns for %s",
    (id) => {
      const older = findModel(catalog, id) as Model;
      expect(sent({ messages }, "mid-conversation-system-2026-04-07", older)).toEqual({
        max_tokens: 10,
        messages: messages.map((turn) => (turn.role === "system" ? { ...turn, role: "user" } : turn)),
      });
    },
  );
});

describe("output_config", () => {
  const format = { type: "json_schema", schema: { type: "object" } };
  const opus45 = findModel(catalog, "claude-opus-4-5") as Model;

  test.each(catalog.models.map((model) => [model.id, model] as const))(
    "the model %s accepts output_config with a format",
    (_id, to) => {
      expect(sent({ output_config: { format } }, "structured-outputs-2025-12-15", to).output_config).toEqual({
        format,
      });
    },
  );

  test("output_config keeps its format if its effort is removed", () => {
    expect(sent({ output_config: { format, effort: "low" } }, undefined, older).output_config).toEqual({ format });
    expect(sent({ output_config: { format, effort: "low" } }, undefined, opus45).output_config).toEqual({ format });
    const effort = { effort: "low" };
    expect(sent({ output_config: effort }, "effort-2025-11-24", opus45).output_config).toEqual(effort);
  });

  test("output_config gets the format that was sent under its old name", () => {
    expect(sent({ output_format: format }).output_config).toEqual({ format });
    expect(sent({ output_format: format, output_config: { effort: "low" } }).output_config).toEqual({
      format,
      effort: "low",
    });
    expect(sent({ output_format: null })).not.toHaveProperty("output_config");
  });

  test("output_config on a turn is kept or removed together with its flag, which has two names", () => {
    const directive = { role: "system", content: [], output_config: { effort: "low" } };
    const messages = [{ role: "user", content: "a" }, directive];
    const turn = "mid-conversation-output-config-2026-07-01";
    for (const flags of [turn, "per-turn-control-2026-07-01", `${turn},per-turn-control-2026-07-01`]) {
      expect(sent({ messages }, flags)).toMatchObject({ messages, betas: [turn] });
      expect(bridge(body({ messages }), model, headerFlags(flags)).dropped).toEqual([]);
    }
    const without = bridge(body({ messages }), model, []);
    expect([JSON.parse(without.body).messages, without.dropped]).toEqual([
      [{ role: "user", content: "a" }],
      ["messages[].output_config"],
    ]);
  });
});

describe("what would change the meaning of the answer", () => {
  const saying = (block: object) => ({ messages: [{ role: "user", content: [block] }] });

  test("a thread in the body is refused by name, with the code at which the vendor's SDK continues without it", () => {
    expect(refusalOf(() => sent({ thread: { type: "create" } }))).toMatchObject({
      code: "thread_unsupported_request",
      unsupported: ["thread"],
      message: expect.stringContaining("thread: "),
    });
  });

  test.each<[object, string]>([
    [{ container: { skills: [{ skill_id: "pdf" }] } }, "container"],
    [{ container: "container_1" }, "container"],
    [{ mcp_servers: [{ url: "https://example.com" }] }, "mcp_servers"],
    [{ tools: [{ type: "web_search_20250305", name: "w" }] }, "web_search_20250305"],
    [{ tools: [{ type: "code_execution_20250825", name: "c" }] }, "code_execution_20250825"],
    [{ tools: [{ type: "web_fetch_20250910", name: "f" }] }, "web_fetch_20250910"],
    [{ tools: [{ type: "mcp_toolset", mcp_server_name: "m" }] }, "mcp_toolset"],
    [saying({ type: "image", source: { type: "url", url: "https://x" } }), "messages[].content[].source.type=url"],
    [saying({ type: "document", source: { type: "url", url: "https://x" } }), "messages[].content[].source.type=url"],
    [saying({ type: "document", source: { type: "file", file_id: "f" } }), "messages[].content[].source.type=file"],
    [
      saying({ type: "tool_result", content: [{ type: "image", source: { type: "url", url: "https://x" } }] }),
      "messages[].content[].content[].source.type=url",
    ],
    [
      saying({
        type: "document",
        source: { type: "content", content: [{ type: "image", source: { type: "url", url: "https://x" } }] },
      }),
      "messages[].content[].source.content[].source.type=url",
    ],
  ])("is refused by name: %j", (changes, name) => {
    const refusal = refusalOf(() => sent(changes));
    expect([refusal.code, refusal.unsupported]).toEqual(["invalid_request", [name]]);
    expect(refusal.message).toContain(`${name}: is not available here`);
    expect(refusalOf(() => bridgeCount(body(changes), model, [])).message).toBe(refusal.message);
  });

  describe("a tool of the vendor's servers", () => {
    const own = { name: "a", input_schema: {} };
    const search = { type: "web_search_20250305", name: "web_search" };
    const tools = [own, search, { type: "mcp_toolset", mcp_server_name: "m" }];
    const said = (block: object) => ({ tools, messages: [...base.messages, { role: "assistant", content: [block] }] });

    test("a tool of the vendor's servers that is only offered is removed and named if other tools remain", () => {
      for (const tool_choice of [undefined, { type: "auto" }, { type: "any" }, { type: "tool", name: "a" }]) {
        const bridged = bridge(body({ tools, tool_choice }), model, []);
        expect([JSON.parse(bridged.body).tools, bridged.dropped]).toEqual([
          [own],
          ["tools[].type=mcp_toolset", "tools[].type=web_search_*"],
        ]);
      }
      expect(sent(said({ type: "tool_use", id: "u", name: "a", input: {} })).tools).toEqual([own]);
    });

    test.each<[string, object]>([
      ["nothing but such tools is offered", { tools: [search, { type: "web_fetch_20250910", name: "f" }] }],
      ["the model is to use it", { tools, tool_choice: { type: "tool", name: "web_search" } }],
      ["the model used it", said({ type: "server_tool_use", id: "s", name: "web_search", input: {} })],
      ["a result of it is sent", said({ type: "web_search_tool_result", tool_use_id: "s", content: [] })],
      [
        "a tool of its server was used",
        said({ type: "mcp_tool_use", id: "s", name: "x", server_name: "m", input: {} }),
      ],
    ])("a tool of the vendor's servers is refused by name where %s", (_, changes) => {
      expect(refusalOf(() => sent(changes)).message).toMatch(/^(web_\w+|mcp_toolset): is not available here/);
    });
  });

  test("an empty value of a field that would change the answer is removed, and tools that a client runs are sent", () => {
    const tools = [
      { type: "bash_20250124", name: "bash" },
      { type: "custom", name: "web_search", input_schema: {} },
    ];
    const result = sent({ thread: null, container: null, mcp_servers: [], tools });
    expect(Object.keys(result).sort()).toEqual(["max_tokens", "messages", "tools"]);
    expect(result.tools).toEqual(tools);
  });
});

describe("hostile bodies", () => {
  test("a body with __proto__ and constructor reaches the model host unchanged", () => {
    const text = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},${JSON.stringify(base).slice(1)}`;
    const result = bridge(parseMessagesBody(text), model, []).body;
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.parse(result).constructor).toEqual({ prototype: { polluted: 2 } });
  });

  test("the last of two equal fields in a body counts, for the proxy and the model host", () => {
    const text = `{"max_tokens":999999,"stream":true,${JSON.stringify(base).slice(1, -1)},"stream":false}`;
    const parsed = parseMessagesBody(text);
    expect([parsed.max_tokens, parsed.stream]).toEqual([10, false]);
    expect(bridge(parsed, model, []).body.match(/max_tokens/g)).toHaveLength(1);
  });

  test("a body nested deeper than the stack is refused as a bad request, and does not crash the proxy", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const text = JSON.stringify({ ...base, metadata: "DEEP" }).replace('"DEEP"', deep);
    const refusal = refusalOf(() => bridge(parseMessagesBody(text), model, []));
    expect(refusal).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("body: is nested too deeply"),
    });
  });

  test("refused fields of any shape are sent or removed, and cause no error", () => {
    const field = fc.constantFrom(
      "tools",
      "system",
      "messages",
      "context_management",
      "cache_control",
      "anthropic_beta",
    );
    const odd = fc.array(fc.tuple(field, fc.jsonValue())).map((pairs) => ({ ...base, ...Object.fromEntries(pairs) }));
    fc.assert(
      fc.property(odd, fc.string(), (odd, flags) => {
        const messages = Array.isArray(odd.messages) && odd.messages.length > 0 ? odd.messages : base.messages;
        const parsed = parseMessagesBody(JSON.stringify({ ...odd, messages }));
        for (const to of [model, older]) {
          expect(JSON.parse(bridge(parsed, to, headerFlags(flags)).body)).toMatchObject({});
        }
      }),
    );
  });
});

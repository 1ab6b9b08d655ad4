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

/** The fields of the body; if there are flags, with them. */
function fieldsOf({ body, betas }: ModelRequest) {
  return { ...JSON.parse(body), ...(betas.length > 0 && { betas }) };
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
  test("the bridge to the model host removes model and stream, and leaves the rest", () => {
    const rest = { system: "be brief", temperature: 0.5, metadata: { user_id: "u" }, of_the_future: { a: [1, null] } };
    expect(sent({ ...rest, stream: true })).toEqual({
      max_tokens: 10,
      messages: base.messages,
      ...rest,
    });
  });

  test("the bridge to the model host removes a version from the body: each host has its own place for it", () => {
    const bridged = bridge(body({ anthropic_version: "2026-10-21" }), model, []);
    expect([fieldsOf(bridged), bridged.dropped]).toEqual([{ max_tokens: 10, messages: base.messages }, []]);
  });

  test("the bridge to the model host puts flags of header and body together, each once, trimmed, without what the model is known to refuse", () => {
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

  test("the bridge to the model host drops fields that go with a flag unless the flag goes too", () => {
    const edits = {
      context_management: { edits: [{ type: "compact_20260112" }, { type: "clear_thinking_20251015" }] },
    };
    expect(sent(edits)).not.toHaveProperty("context_management");
    expect(sent(edits, "compact-2026-01-12").context_management).toEqual({ edits: [{ type: "compact_20260112" }] });
  });

  test("the bridge to the model host drops refused fields wherever they lie, and nothing beside them", () => {
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

  test("the bridge to the model host removes a field together with parts that only served it", () => {
    const edits = { context_management: { edits: [{ type: "clear_thinking_20251015" }] } };
    expect(sent(edits, "context-management-2025-06-27")).not.toHaveProperty("context_management");
  });

  test("the bridge to the model host depends on the model: a field that an older model refuses is dropped only for that model", () => {
    const asked = { output_config: { effort: "low" }, cache_control: { type: "ephemeral" } };
    expect(sent(asked)).toMatchObject(asked);
    expect(Object.keys(sent(asked, undefined, older)).sort()).toEqual(["max_tokens", "messages"]);
  });
});

describe("a sampling parameter", () => {
  const sampling = { temperature: 1, top_p: 1 };

  test.each(["1", "1.0", "1e0"])(
    "a sampling parameter of %s is left out and named where the model takes none",
    (one) => {
      const asked = parseMessagesBody(JSON.stringify({ ...base, ...sampling }).replaceAll(":1,", `:${one},`));
      const bridged = bridge(asked, model, []);
      expect(Object.keys(JSON.parse(bridged.body))).not.toEqual(expect.arrayContaining(["temperature"]));
      expect(bridged.dropped).toEqual(["temperature=1", "top_p=1"]);
    },
  );

  test("a sampling parameter with another value is sent, and the host refuses it", () => {
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

  test("a left-out part is named: flags as the caller wrote them, fields by their path, and nothing that was not in the body", () => {
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

  test("flags that no table lists are tried, and the body without them is ready", () => {
    const bridged = bridge(body({ anthropic_beta: ["newest-2027-03-03"] }), model, headerFlags(flags));
    expect(bridged.suspects.flags).toEqual(["new-2027-01-01", "newer-2027-02-02", "newest-2027-03-03"]);
    expect(bridged.betas).toEqual(["new-2027-01-01", "effort-2025-11-24", "newer-2027-02-02", "newest-2027-03-03"]);
    const { body: rest, betas } = bridged.without(bridged.suspects);
    expect([rest, betas]).toEqual([bridged.body, ["effort-2025-11-24"]]);
  });

  test("flags that no table lists are left out and named where they are known to be refused", () => {
    const bridged = bridge(body(), model, headerFlags(flags), (parts) => ({
      ...parts,
      flags: parts.flags.filter((flag) => flag !== "new-2027-01-01"),
    }));
    expect(bridged.betas).toEqual(["effort-2025-11-24", "newer-2027-02-02"]);
    expect(bridged.dropped).toEqual(["new-2027-01-01", "claude-code-20250219"]);
  });

  test.each(["with space", "ar_live_abc", "é", "x".repeat(65), "-a", "a\n"])(
    "the flag %j is malformed and not tried",
    (odd) => {
      const bridged = bridge(body({ anthropic_beta: [odd] }), model, []);
      expect([bridged.suspects.flags, bridged.dropped]).toEqual([[], [odd]]);
      expect(bridged.betas).toEqual([]);
    },
  );

  test("flags that no table lists are not tried for a count, which they hardly change", () => {
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
  const asked = body({ diagnostics: { a: 1 }, context_management: { edits: [] }, metadata: {} });
  const flag = "context-management-2025-06-27";
  const bridged = bridge(asked, model, [flag]);

  test("an unknown field that the model host refuses is left out and named", () => {
    expect(bridged.withField("diagnostics")).toEqual({ flags: [], fields: ["diagnostics"] });
    const without = bridge(asked, model, [flag]).without(bridged.withField("diagnostics"));
    expect([JSON.parse(without.body).diagnostics, without.dropped]).toEqual([undefined, ["diagnostics"]]);
  });

  test("an unknown field is left out together with the flag that it needs", () => {
    expect(bridged.withField("context_management")).toEqual({ flags: [flag], fields: [] });
    const without = bridge(asked, model, [flag]).without(bridged.withField("context_management"));
    expect([JSON.parse(without.body).context_management, without.dropped]).toEqual([
      undefined,
      [flag, "context_management"],
    ]);
  });

  test.each(["messages", "metadata", "tools", "not_there", "constructor", "__proto__"])(
    "an unknown field is kept if it is %s",
    (name) => {
      expect(bridged.withField(name)).toEqual({ flags: [], fields: [] });
    },
  );

  test("a field that the model host does not know is left out from the beginning where it is known to be refused", () => {
    const told = bridge(asked, model, [flag], ({ flags }) => ({ flags, fields: ["context_management"] }));
    expect([JSON.parse(told.body).diagnostics, told.dropped]).toEqual([undefined, ["diagnostics"]]);
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

  test("removed flags remove the fields that need them, which are named as the caller wrote them", () => {
    const bridged = bridge(body(asked), model, headerFlags(flags));
    const { context_management, thinking, tools } = asked;
    expect(JSON.parse(bridged.body)).toMatchObject({ context_management, thinking, tools });
    expect(bridged.dropped).toEqual(["speed"]);
    const listed = bridged.without(bridged.suspects);
    expect(listed.dropped).toEqual(["new-2027-01-01"]);
    expect(JSON.parse(listed.body)).toMatchObject({ context_management, thinking, tools });
    const none = listed.without(listed.suspects);
    expect([none.suspects.flags, none.dropped]).toEqual([
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

  test("removed flags keep fields that need no flag: another display of thinking", () => {
    const thinking = { type: "adaptive", display: "omitted" };
    expect(sent({ thinking }).thinking).toEqual(thinking);
  });
});

test.each(catalog.models.map((model) => [model.id, model] as const))(
  "all that today's assistants send is listed, so that no call is sent in vain: %s",
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

  test("output_config keeps its format if the effort is removed", () => {
    expect(sent({ output_config: { format, effort: "low" } }, undefined, older).output_config).toEqual({ format });
    expect(sent({ output_config: { format, effort: "low" } }, undefined, opus45).output_config).toEqual({ format });
    const effort = { effort: "low" };
    expect(sent({ output_config: effort }, "effort-2025-11-24", opus45).output_config).toEqual(effort);
  });

  test("output_config gets the format that was sent under its older name", () => {
    expect(sent({ output_format: format }).output_config).toEqual({ format });
    expect(sent({ output_format: format, output_config: { effort: "low" } }).output_config).toEqual({
      format,
      effort: "low",
    });
    expect(sent({ output_format: null })).not.toHaveProperty("output_config");
  });

  test("output_config on a turn is removed with its flag, or both are kept: the host accepts it under one of two names", () => {
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

  test("a thread is refused by name, with the code at which the vendor's SDK continues without it", () => {
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
    [
      {
        tools: [
          { name: "a", input_schema: {} },
          { type: "web_search_20250305", name: "w" },
        ],
      },
      "web_search_20250305",
    ],
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
  ])("is refused by name: %j", (changes, name) => {
    const refusal = refusalOf(() => sent(changes));
    expect([refusal.code, refusal.unsupported]).toEqual(["invalid_request", [name]]);
    expect(refusal.message).toContain(`${name}: is not available here`);
    expect(refusalOf(() => bridgeCount(body(changes), model, [])).message).toBe(refusal.message);
  });

  test("an empty part that would change the answer is not refused, nor are tools that a client runs", () => {
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
  test("hostile bodies with __proto__ and constructor reach the host unchanged", () => {
    const text = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},${JSON.stringify(base).slice(1)}`;
    const result = bridge(parseMessagesBody(text), model, []).body;
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.parse(result).constructor).toEqual({ prototype: { polluted: 2 } });
  });

  test("in hostile bodies with a field twice the last one counts, for the proxy and the host", () => {
    const text = `{"max_tokens":999999,"stream":true,${JSON.stringify(base).slice(1, -1)},"stream":false}`;
    const parsed = parseMessagesBody(text);
    expect([parsed.max_tokens, parsed.stream]).toEqual([10, false]);
    expect(bridge(parsed, model, []).body.match(/max_tokens/g)).toHaveLength(1);
  });

  test("hostile bodies nested deeper than the stack are a bad request, and no crash", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const text = JSON.stringify({ ...base, metadata: "DEEP" }).replace('"DEEP"', deep);
    const refusal = refusalOf(() => bridge(parseMessagesBody(text), model, []));
    expect(refusal).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("body: is nested too deeply"),
    });
  });

  test("hostile bodies with refused fields of any shape pass or lose them, and cause no error", () => {
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

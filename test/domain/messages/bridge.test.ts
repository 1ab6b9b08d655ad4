import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { findModel, type Model, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { parseMessagesBody as parseWithin } from "../../../domain/messages/body.ts";
import { bridge } from "../../../domain/messages/bridge.ts";
import { Refusal } from "../../../domain/refusal.ts";

const catalog = parseCatalog(catalogData);
const model = findModel(catalog, "claude-sonnet-5") as Model;
const older = findModel(catalog, "claude-haiku-4-5") as Model;
const base = { model: "claude-sonnet-5", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };
const maxBodyBytes = 1_000_000;
const parseMessagesBody = (text: string) => parseWithin(text, { maxBytes: maxBodyBytes });
const body = (changes: object = {}) => parseMessagesBody(JSON.stringify({ ...base, ...changes }));
const sent = (changes: object, betas?: string, to: Model = model) => JSON.parse(bridge(body(changes), to, betas));

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
  test("takes model and stream out, puts the version in, and leaves the rest", () => {
    const rest = { system: "be brief", temperature: 0.5, metadata: { user_id: "u" }, of_the_future: { a: [1, null] } };
    expect(sent({ ...rest, stream: true })).toEqual({
      anthropic_version: "bedrock-2023-05-31",
      max_tokens: 10,
      messages: base.messages,
      ...rest,
    });
  });

  test("says its own version, whatever the body says", () => {
    expect(sent({ anthropic_version: "2026-10-21" }).anthropic_version).toBe("bedrock-2023-05-31");
  });

  test("puts flags of header and body together, each once, trimmed, without what the model is known to refuse", () => {
    const flags = " context-management-2025-06-27 ,,oauth-2025-04-20, advanced-tool-use-2025-11-20,something-new-2027";
    const inBody = ["context-management-2025-06-27", 7, "claude-code-20250219", "tool-search-tool-2025-10-19"];
    expect(sent({ anthropic_beta: inBody }, flags).anthropic_beta).toEqual([
      "context-management-2025-06-27",
      "tool-search-tool-2025-10-19",
      "something-new-2027",
    ]);
    expect(sent({}, "oauth-2025-04-20")).not.toHaveProperty("anthropic_beta");
    expect(sent({ anthropic_beta: "no list" })).not.toHaveProperty("anthropic_beta");
  });

  test("drops fields that go with a flag unless the flag goes too", () => {
    const edits = {
      context_management: { edits: [{ type: "compact_20260112" }, { type: "clear_thinking_20251015" }] },
    };
    expect(sent(edits)).not.toHaveProperty("context_management");
    expect(sent(edits, "compact-2026-01-12").context_management).toEqual({ edits: [{ type: "compact_20260112" }] });
  });

  test("drops refused fields wherever they lie, and nothing beside them", () => {
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
      anthropic_version: "bedrock-2023-05-31",
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

  test("goes by the model: what an older one refuses is dropped for it alone", () => {
    const asked = { output_config: { effort: "low" }, cache_control: { type: "ephemeral" } };
    expect(sent(asked)).toMatchObject(asked);
    expect(Object.keys(sent(asked, undefined, older)).sort()).toEqual(["anthropic_version", "max_tokens", "messages"]);
  });
});

describe("hostile bodies", () => {
  test("with __proto__ and constructor stay data and reach the host as they are", () => {
    const text = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},${JSON.stringify(base).slice(1)}`;
    const result = bridge(parseMessagesBody(text), model, undefined);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.parse(result).constructor).toEqual({ prototype: { polluted: 2 } });
  });

  test("with a field twice mean the last one, to us and to the host alike", () => {
    const text = `{"max_tokens":999999,"stream":true,${JSON.stringify(base).slice(1, -1)},"stream":false}`;
    const parsed = parseMessagesBody(text);
    expect([parsed.max_tokens, parsed.stream]).toEqual([10, false]);
    expect(bridge(parsed, model, undefined).match(/max_tokens/g)).toHaveLength(1);
  });

  test("nested deeper than the stack are a bad request, and no crash", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const text = JSON.stringify({ ...base, metadata: "DEEP" }).replace('"DEEP"', deep);
    const refusal = refusalOf(() => bridge(parseMessagesBody(text), model, undefined));
    expect(refusal).toMatchObject({ code: "invalid_request", message: "body: is nested too deeply" });
  });

  test("with refused fields of any shape pass or lose them, and never make it throw", () => {
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
          expect(JSON.parse(bridge(parsed, to, flags))).toMatchObject({ anthropic_version: "bedrock-2023-05-31" });
        }
      }),
    );
  });
});

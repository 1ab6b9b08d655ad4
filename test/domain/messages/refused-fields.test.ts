import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { invokeBody } from "../../../adapters/bedrock/invoke-body.ts";
import { findModel, type Model, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { type MessagesBody, parseMessagesBody } from "../../../domain/messages/body.ts";
import { bridge } from "../../../domain/messages/bridge.ts";
import { leaveOut } from "../../../domain/messages/refused-fields.ts";
import { knownModels } from "../../../emulators/bedrock/models.ts";
import { checkBody } from "../../../emulators/bedrock/request/validation.ts";
import { knownBetas } from "../../../emulators/bedrock/rules/beta-rules.ts";
import { every } from "../../../emulators/bedrock/rules/model-group.ts";
import type { Rule } from "../../../emulators/bedrock/rules/rule.ts";
import { requestRules } from "../../../emulators/bedrock/rules/rules.ts";

const catalog = parseCatalog(catalogData);
const effort = { effort: "low" };
const directive = { role: "system", content: [], output_config: effort };
const user = { role: "user", content: "a" };
const assistant = { role: "assistant", content: "b" };

describe("a turn that held nothing but what is left out goes with it", () => {
  const output_config = { path: "messages[].output_config" };
  const left = (...messages: object[]) => {
    const body: Record<string, unknown> = structuredClone({ messages });
    leaveOut(body, [output_config]);
    return body.messages;
  };

  test.each([
    ["in front", [directive, user, assistant, user]],
    ["between", [user, directive, assistant, user]],
    ["before the user's", [user, assistant, directive, user]],
    ["at the end", [user, assistant, user, directive]],
    ["twice in a row", [user, directive, directive, assistant, user]],
    ["without content", [user, { role: "system", output_config: effort }, assistant, user]],
    ["with an empty text", [user, { ...directive, content: "" }, assistant, user]],
  ])("a turn that only contained removed fields is removed: %s", (_place, messages) => {
    expect(left(...messages)).toEqual(messages.filter(({ role }) => role !== "system"));
  });

  test("a turn with text keeps the text when fields are removed", () => {
    expect(left(user, { ...directive, content: "Be brief." })).toEqual([
      user,
      { role: "system", content: "Be brief." },
    ]);
  });

  test("a turn that was empty before is kept, so that the model host refuses it", () => {
    expect(left(user, { role: "assistant", content: [] })).toEqual([user, { role: "assistant", content: [] }]);
  });

  test("fields are also removed by the type of their blocks", () => {
    const body = { messages: [user, { role: "system", content: [{ type: "tool_removal" }] }] };
    leaveOut(body, [{ path: "messages[].content[]", type: "tool_removal" }]);
    expect(body.messages).toEqual([user]);
  });
});

describe("what the host accepted before something was left out, it accepts after", () => {
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const block = fc.constantFrom(
    { type: "text", text: "c" },
    { type: "tool_addition", tool: { type: "tool_reference", name: "a" } },
    { type: "tool_removal", tool: { type: "tool_reference", name: "a" } },
  );
  const systemTurn = fc
    .record({ content: fc.array(block, { maxLength: 3 }), output_config: optional(fc.constant(effort)) })
    .map((turn) => ({ role: "system", ...turn }));
  const result = fc
    .array(fc.constantFrom({ type: "text", text: "d" }, { type: "tool_reference", tool_name: "a" }), { maxLength: 2 })
    .map((content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] }));
  const exchange = fc
    .tuple(
      optional(fc.constant(directive)),
      fc.oneof(fc.constant(user), result),
      fc.array(systemTurn, { maxLength: 2 }),
    )
    .map(([before, asked, after]) => [...(before ? [before] : []), asked, ...after]);
  const messages = fc
    .array(exchange, { minLength: 1, maxLength: 4 })
    .map((exchanges) => exchanges.flatMap((turns, index) => (index > 0 ? [assistant, ...turns] : turns)));
  const thinking = fc.oneof(
    fc.record({
      type: fc.constant("adaptive"),
      display: optional(fc.constantFrom("updates", "omitted")),
      block_binding: optional(fc.constant({ prefix_mismatch_behavior: "error" })),
    }),
    fc.constant({ type: "enabled", budget_tokens: 1024, display: "updates" }),
    fc.constant({ type: "disabled" }),
  );
  const tool = fc.record({
    name: fc.constant("a"),
    input_schema: fc.constant({ type: "object" }),
    defer_loading: optional(fc.boolean()),
    input_examples: optional(fc.constant([{}])),
    allowed_callers: optional(fc.constant(["direct"])),
  });
  const edit = fc.constantFrom({ type: "clear_tool_uses_20250919" }, { type: "compact_20260112" });
  const body = fc.record({
    model: fc.constant("any"),
    max_tokens: fc.constant(2048),
    messages,
    tools: optional(fc.tuple(tool)),
    thinking: optional(thinking),
    context_management: optional(fc.record({ edits: fc.array(edit, { maxLength: 2 }) })),
    output_config: optional(
      fc.record({
        effort: optional(fc.constant("low")),
        format: optional(fc.constant({ type: "json_schema", schema: { type: "object" } })),
      }),
    ),
    cache_control: optional(fc.constant({ type: "ephemeral" })),
    safeguards: optional(fc.constant([{ type: "dangerous_tool_use", classifier_context: {} }])),
  });
  const flags = fc.subarray([...knownBetas]);
  /** The rules of the host for some models that the bridge heals. */
  const bridged = [
    "`output_config.effort`",
    "`output_config.effort` without a flag",
    "`system` turns",
    "`system` turns, in other words",
    "automatic caching (`cache_control` at the top)",
    "the flag for a context of 1M tokens",
  ];

  test.each(catalog.models.map(({ id }) => id))(
    "a body that the model host accepts is accepted after a removal, too: %s",
    (id) => {
      const model = findModel(catalog, id) as Model;
      const host = knownModels.find((known) => known.id === model.base_id) as (typeof knownModels)[number];
      /** Takes what the bridge may leave out; the ways to think are the caller's choice. */
      const takesAll = requestRules
        .filter(({ refused }) => !bridged.includes(refused))
        .map((rule) => (rule.refused.includes("`system` turn") ? { ...rule, models: every } : rule));
      const accepts = (asked: object, by = requestRules) => {
        try {
          return Boolean(checkBody(asked, host, by));
        } catch (error) {
          return String(error);
        }
      };
      fc.assert(
        fc.property(body, flags, flags, (asked, sent, refused) => {
          const { model: _model, ...whole } = JSON.parse(JSON.stringify(asked));
          const every = { anthropic_version: "bedrock-2023-05-31", anthropic_beta: [...knownBetas], ...whole };
          fc.pre(accepts(every, takesAll) === true);
          const parsed = parseMessagesBody(JSON.stringify(asked), { maxBytes: 100_000 }) as MessagesBody;
          const bridged = bridge(parsed, model, sent);
          expect(accepts(JSON.parse(invokeBody(bridged).toString()))).toBe(true);
          const refusing: Rule = {
            ...(requestRules[0] as Rule),
            find: ({ anthropic_beta: flags = [] }) => (flags.some((flag) => refused.includes(flag)) ? {} : undefined),
          };
          expect(
            accepts(JSON.parse(invokeBody(bridged.without({ flags: refused, fields: [] })).toString()), [
              refusing,
              ...requestRules,
            ]),
          ).toBe(true);
        }),
      );
    },
  );
});

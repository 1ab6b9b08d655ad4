import { describe, expect, test } from "@jest/globals";
import { findModel, knownModels, modelReference } from "../../../bedrock/models.ts";
import { checkBody } from "../../../bedrock/request/validation.ts";
import { bindThinking } from "../../../bedrock/rules/thinking-binding.ts";
import { ModelHostServer, question } from "../../support/model-host-server.ts";

const modelOf = (name: string) =>
  findModel(knownModels, modelReference(`global.anthropic.claude-${name}`, "us-east-1"), "us-east-1");
const flag = { anthropic_beta: ["thinking-binding-controls-2026-08-01"] };
const binding = (behavior?: string) => ({
  ...flag,
  thinking: { type: "adaptive", ...(behavior && { block_binding: { prefix_mismatch_behavior: behavior } }) },
});

type Request = ReturnType<typeof question> & Record<string, unknown>;

/** The binding of a request to a model, whose account is as those made since 31 August 2026 unless another is named. */
function bind(request: object, name = "fable-5-2", bindsThinking = true) {
  const model = modelOf(name);
  return bindThinking(checkBody(request, model), { model, bindsThinking });
}

/** The request with the answer of a model, which thought first, and the next question. */
function goOn(request: Request, next: string, name = "fable-5-2"): Request {
  const { signature } = bind(request, name);
  const answer = { role: "assistant", content: [{ type: "thinking", thinking: "", signature }, text(`to ${next}`)] };
  return { ...request, messages: [...request.messages, answer, { role: "user", content: next }] as never };
}

const text = (words: string) => ({ type: "text", text: words });
const weather = { name: "get_weather", input_schema: { type: "object" } };
const first: Request = question("one", { system: "Be kind.", tools: [weather], ...binding() });
const third = goOn(goOn(first, "two"), "three");
const changed = (more: object): Request => ({ ...third, ...more });
const withMessage = (index: number, message: object) =>
  changed({ messages: third.messages.with(index, message as never) });

describe("thinking that comes back unchanged is read", () => {
  test.each([
    ["as it was", third],
    ["with other breakpoints", changed({ tools: [{ ...weather, cache_control: { type: "ephemeral" } }] })],
    ["with texts as blocks", changed({ system: [text("Be kind.")] })],
    ["with another end", changed({ messages: third.messages.with(-1, { role: "user", content: "other" }) })],
    ["with more tokens and another effort", changed({ max_tokens: 9, output_config: { effort: "low" } })],
    ["without the first thinking", withMessage(1, { role: "assistant", content: [text("to two")] })],
  ])("thinking is read %s", (_, request) => {
    expect(bind(request)).toMatchObject({ body: checkBody(request, modelOf("fable-5-2")), transformations: [] });
    expect(bind(request).broken).toBeUndefined();
  });
});

describe("thinking after something else is broken at the first block that it breaks", () => {
  test.each([
    ["another system prompt", changed({ system: "Be kinder." }), "messages.1.content.0"],
    ["another tool", changed({ tools: [{ ...weather, description: "x" }] }), "messages.1.content.0"],
    ["no tools", changed({ tools: [] }), "messages.1.content.0"],
    ["another question", withMessage(0, { role: "user", content: "uno" }), "messages.1.content.0"],
    [
      "a message in between",
      changed({ messages: third.messages.toSpliced(2, 0, { role: "user", content: "x" }) }),
      "messages.4.content.0",
    ],
  ])("thinking is broken by %s", (_, request, path) => {
    expect(bind(request).broken).toBe(path);
  });

  test("a block that was left out between others breaks those after it", () => {
    const fourth = goOn(third, "four");
    const gone = fourth.messages.with(3, { role: "assistant", content: [text("to three")] } as never);
    expect(bind({ ...fourth, messages: gone }).broken).toBe("messages.5.content.0");
  });
});

describe("who is checked", () => {
  const edited = changed({ system: "Be kinder." });

  test.each(["fable-5-1", "opus-5-5", "sonnet-5-5", "haiku-5-5"])(
    "%s checks accounts made since 31 August 2026, and others where a request asks for it",
    (name) => {
      const request = { ...goOn(first, "two", name), system: "Be kinder." };
      expect(bind(request, name).broken).toBe("messages.1.content.0");
      const older = bind(request, name, false);
      expect(older.broken).toBeUndefined();
      expect(older.transformations).toEqual([
        { type: "thinking_mismatch_allowed", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
      ]);
      expect(bind({ ...request, ...binding("error") }, name, false).broken).toBe("messages.1.content.0");
    },
  );

  test("Fable 5.2 checks every account", () => {
    expect(bind(edited, "fable-5-2", false).broken).toBe("messages.1.content.0");
  });

  test("older models do not check", () => {
    const request = { ...goOn(first, "two", "sonnet-5"), system: "Be kinder." };
    expect(bind(request, "sonnet-5")).toMatchObject({ transformations: [] });
    expect(bind(request, "sonnet-5").broken).toBeUndefined();
  });
});

test("with drop_block the blocks go that are broken, and the answer says so", () => {
  const { body, broken, transformations } = bind(changed({ system: "Be kinder.", ...binding("drop_block") }));
  expect(broken).toBeUndefined();
  expect(transformations).toEqual(
    [1, 3].map((index) => ({
      ...{ type: "thinking_dropped", path: `messages.${index}.content.0`, reason: "prefix_binding_mismatch" },
    })),
  );
  expect(body.messages[1]?.content).toEqual([text("to two")]);
});

test("thinking that followed dropped thinking is read, as long as that is dropped again", () => {
  const edited = changed({ system: "Be kinder.", ...binding("drop_block") });
  const { transformations } = bind(goOn(edited, "four"));
  expect(transformations?.map(({ path }) => path)).toEqual(["messages.1.content.0", "messages.3.content.0"]);
});

describe("another model's thinking", () => {
  test.each([
    ["opus-5", "fable-5-1", true],
    ["haiku-5-5", "sonnet-5-5", true],
    ["sonnet-5-5", "haiku-5-5", false],
    ["fable-5-1", "fable-5-2", false],
    ["fable-5-1", "opus-5", false],
  ])("thinking of %s for %s: %p", (thinker, reader, isRead) => {
    const { transformations, broken } = bind(goOn(first, "two", thinker), reader);
    expect(broken).toBeUndefined();
    expect(transformations).toEqual(
      isRead ? [] : [{ type: "thinking_dropped", path: "messages.1.content.0", reason: "model_binding_mismatch" }],
    );
  });
});

describe("through the host", () => {
  const model = "global.anthropic.claude-fable-5-2";
  const ask = { thinking: { type: "adaptive" } };

  test("a conversation goes on with its thinking, and a changed one is refused or loses it", async () => {
    await using server = await ModelHostServer.start();
    const { message } = await server.invoke(question("one", ask), model);
    const messages = [
      { role: "user", content: "one" },
      { role: "assistant", content: message.content },
      { role: "user", content: "two" },
    ];
    const next = await server.invoke(question("", { ...ask, messages }), model);
    expect(next.message).not.toHaveProperty("input_transformations");
    const edited = { messages, system: "Be kind." };
    await expect(server.invoke(question("", { ...ask, ...edited }), model)).rejects.toMatchObject({
      name: "ValidationException",
      message:
        'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    });
    const dropping = question("", { ...edited, ...binding("drop_block") });
    const dropped = [{ type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" }];
    expect((await server.invoke(dropping, model)).message.input_transformations).toEqual(dropped);
    const [start] = await server.events(dropping, model);
    expect(start.message.input_transformations).toEqual(dropped);
  });

  test("a dropped block is not counted as input", async () => {
    await using server = await ModelHostServer.start();
    const without = [
      { role: "user", content: "one" },
      { role: "assistant", content: [text("A")] },
      { role: "user", content: "two" },
    ];
    const { signature } = bind(first);
    const thought = { type: "thinking", thinking: "x".repeat(400), signature };
    const messages = without.with(1, { role: "assistant", content: [thought, text("A")] } as never);
    const usage = async (more: object) =>
      (await server.invoke(question("", { ...binding("drop_block"), ...more }), model)).message.usage.input_tokens;
    expect(await usage({ messages })).toBe(await usage({ messages: without }));
  });
});

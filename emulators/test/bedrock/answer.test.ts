import { describe, expect, test } from "@jest/globals";
import { answer } from "../../bedrock/answer.ts";
import type { RequestBody } from "../../bedrock/request/body-schema.ts";
import { question } from "../support/model-host-server.ts";

const weather = {
  name: "get_weather",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

function ask(body: object, outputTokens?: number) {
  return answer(body as RequestBody, { model: "claude-sonnet-5", outputTokens, toolUseId: () => "toolu_1" });
}
const textOf = (made: ReturnType<typeof answer>) => made.blocks.map(({ text }) => text).join("");

describe("a text", () => {
  test("a text answer of the model host says which model answers and what was asked, the same each time", () => {
    const made = ask(question("What is the\n capital of France?"));
    expect(textOf(made)).toMatch(/^This is claude-sonnet-5, .*"What is the capital of France\?"/);
    expect(made).toMatchObject({ stopReason: "end_turn", stopSequence: null, blocks: [{ type: "text" }] });
    expect(ask(question("What is the\n capital of France?"))).toEqual(made);
  });

  test("a text answer of the model host quotes the last words of the last user message", () => {
    const messages = [
      { role: "user", content: "first" },
      { role: "assistant", content: "answer" },
      {
        role: "user",
        content: [
          { type: "text", text: "a reminder" },
          { type: "text", text: "the question" },
        ],
      },
    ];
    expect(textOf(ask(question("", { messages })))).toContain('"the question"');
  });

  test("a text answer of the model host quotes a long question in part", () => {
    expect(textOf(ask(question("x".repeat(5000)))).length).toBeLessThan(500);
  });

  test.each([1, 7, 50, 5000])("a text answer of the model host has exactly the %i requested tokens", (tokens) => {
    const made = ask(question("Hi", { max_tokens: 10_000 }), tokens);
    expect(made.outputTokens).toBe(tokens);
    expect(Math.ceil(textOf(made).length / 4)).toBe(tokens);
    expect(made.stopReason).toBe("end_turn");
  });

  test("a text answer of the model host is cut at max_tokens", () => {
    const made = ask(question("Hi", { max_tokens: 5 }));
    expect(made).toMatchObject({ stopReason: "max_tokens", outputTokens: 5 });
    expect(textOf(made)).toBe("This is claude-sonne");
  });

  test("a text answer of the model host ends before the first stop sequence, and names the sequence", () => {
    const made = ask(question("Hi", { stop_sequences: ["never said", "host", "local"] }));
    expect(textOf(made)).toBe("This is claude-sonnet-5, played by the ");
    expect(made).toMatchObject({ stopReason: "stop_sequence", stopSequence: "local", outputTokens: 10 });
  });

  test("a text answer of the model host that begins with a stop sequence is empty", () => {
    expect(ask(question("Hi", { stop_sequences: ["This"] })).blocks).toEqual([]);
  });

  test("a text answer cut by max_tokens before a stop sequence ends with max_tokens", () => {
    const made = ask(question("Hi", { stop_sequences: ["local"], max_tokens: 2 }));
    expect(made).toMatchObject({ stopReason: "max_tokens", stopSequence: null });
  });

  test("a text answer of the model host is JSON of the requested format", () => {
    const schema = { type: "object", properties: { answer: { type: "integer" } }, required: ["answer"] };
    const made = ask(question("Hi", { output_config: { format: { type: "json_schema", schema } } }));
    expect(JSON.parse(textOf(made))).toEqual({ answer: expect.any(Number) });
  });
});

describe("a tool is used", () => {
  const use = { type: "tool_use", id: "toolu_1", name: "get_weather", text: '{"city":"city"}' };

  test.each([{ type: "any" }, { type: "tool", name: "get_weather" }])(
    "a tool is used without an introduction when it is forced by %j",
    (choice) => {
      const made = ask(question("Hi", { tools: [weather], tool_choice: choice }));
      expect(made).toMatchObject({ blocks: [use], stopReason: "tool_use" });
    },
  );

  test("a tool is used after an introduction when the question names it", () => {
    const made = ask(question("Please call get_weather", { tools: [weather] }));
    expect(made.blocks).toEqual([{ type: "text", text: "I will use the tool get_weather." }, use]);
  });

  test("a tool is not used when the question does not name it, or when tools are forbidden", () => {
    expect(ask(question("Hi", { tools: [weather] })).stopReason).toBe("end_turn");
    const barred = question("Please call get_weather", { tools: [weather], tool_choice: { type: "none" } });
    expect(ask(barred).stopReason).toBe("end_turn");
  });

  test("a tool's result is answered by a text that quotes it", () => {
    const messages = [
      { role: "user", content: "Please call get_weather" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "get_weather", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "18 degrees" }] }],
      },
    ];
    const made = ask(question("", { messages, tools: [weather] }));
    expect(textOf(made)).toContain('The tool get_weather answered: "18 degrees".');
    expect(made.stopReason).toBe("end_turn");
  });

  describe("in a turn that brings results", () => {
    const conversation = (...added: object[]) => [
      { role: "user", content: "Please call get_weather" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "get_weather", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: "Call get_weather again" }, ...added],
      },
    ];
    const reasonAfter = (more: object, ...added: object[]) =>
      ask(question("", { messages: conversation(...added), tools: [weather], ...more })).stopReason;

    test("a tool is used in a turn with results only if the person's own text in that turn asks for it", () => {
      expect(reasonAfter({}, { type: "text", text: "Now call get_weather for Rome" })).toBe("tool_use");
      expect(reasonAfter({})).toBe("end_turn");
      expect(reasonAfter({}, { type: "text", text: "<system-reminder>call get_weather</system-reminder>" })).toBe(
        "end_turn",
      );
    });

    test("forcing a tool has no effect in a turn that contains the tool's results", () => {
      expect(reasonAfter({ tool_choice: { type: "any" } })).toBe("end_turn");
    });
  });

  test("a tool whose input asks for a text gets the question without the tool's name", () => {
    const agent = {
      name: "Agent",
      input_schema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    };
    const made = ask(question("Use Agent to call get_weather", { tools: [weather, agent] }));
    expect(JSON.parse(made.blocks.at(-1)?.text ?? "")).toEqual({ prompt: "Use to call get_weather" });
  });

  test("a tool is called with the JSON input that the question contains", () => {
    const made = ask(question('Please call get_weather {"city": "Rome"}', { tools: [weather] }));
    expect(JSON.parse(made.blocks.at(-1)?.text ?? "")).toEqual({ city: "Rome" });
  });

  test("max_tokens can cut a tool's input", () => {
    const made = ask(question("Hi", { tools: [weather], tool_choice: { type: "any" }, max_tokens: 2 }));
    expect(made).toMatchObject({ blocks: [{ type: "tool_use", text: '{"city"' + ":" }], stopReason: "max_tokens" });
  });
});

describe("thinking", () => {
  test.each(["enabled", "adaptive"])(
    "thinking of the model host comes first when it is %s, and counts as output",
    (type) => {
      const made = ask(question("Why?", { thinking: { type, budget_tokens: 1024 } }));
      expect(made.blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
      expect(made.outputTokens).toBe(made.blocks.reduce((sum, { text }) => sum + Math.ceil(text.length / 4), 0));
    },
  );

  test("the model host's thinking stays within the requested length", () => {
    expect(ask(question("Why?", { thinking: { type: "adaptive" } }), 10).outputTokens).toBe(10);
  });

  test.each([
    ["omitted", true],
    ["updates", true],
    ["summarized", undefined],
  ])("the model host's thinking is hidden or shown as the display %s says, and costs the same", (display, hidden) => {
    const made = ask(question("Why?", { thinking: { type: "adaptive", display } }));
    expect(made.blocks[0]).toMatchObject({ type: "thinking", ...(hidden && { hidden }) });
    expect(made.outputTokens).toBe(ask(question("Why?", { thinking: { type: "adaptive" } })).outputTokens);
  });

  test("the model host does not think when thinking is disabled", () => {
    expect(ask(question("Why?", { thinking: { type: "disabled" } })).blocks).toMatchObject([{ type: "text" }]);
  });
});

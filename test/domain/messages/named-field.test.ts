import { describe, expect, test } from "@jest/globals";
import { fieldNamed, heldBy, withoutTypes } from "../../../domain/messages/named-field.ts";

const thinking = { type: "thinking", thinking: "...", signature: "s" };
const text = { type: "text", text: "Hello", signature: "s", cache_control: { type: "ephemeral", ttl: "1h" } };
const body = {
  max_tokens: 1,
  of_tomorrow: true,
  "with.dots": 1,
  system: [{ type: "text", text: "s", x: 1 }],
  tools: [
    { name: "a", input_schema: { type: "object", x: 1 }, x: 1 },
    { name: "b", type: "custom", x: 1 },
  ],
  output_config: { task_budget: null },
  thinking: { type: "adaptive", x: 1 },
  messages: [
    { role: "user", content: [text] },
    { role: "assistant", content: [thinking, text] },
    { role: "user", content: [{ type: "tool_result", content: [text] }] },
    { role: "system", content: "s", clear_at: null },
    { role: "assistant", content: [{ type: "tool_use", name: "a", input: { x: 1 } }] },
  ],
};

describe("a field that a refusal names by its path is found", () => {
  test.each([
    ["of_tomorrow", "of_tomorrow"],
    ["output_config.task_budget", "output_config:.task_budget"],
    ["system.0.x", "system[]:text.x"],
    ["system.0.text.x", "system[]:text.x"],
    ["tools.0.x", "tools[]:.x"],
    ["tools.0.custom.x", "tools[]:.x"],
    ["tools.1.custom.x", "tools[]:custom.x"],
    ["tools.1.x", "tools[]:custom.x"],
    ["thinking.adaptive.x", "thinking:adaptive.x"],
    ["messages.1.content.1.text.signature", "messages[]:assistant.content[]:text.signature"],
    ["messages.3.clear_at", "messages[]:system.clear_at"],
    ["messages.0.content.0.cache_control.ephemeral.ttl", "messages[]:user.content[]:text.cache_control:ephemeral.ttl"],
    [
      "messages.2.content.0.tool_result.content.0.text.signature",
      "messages[]:user.content[]:tool_result.content[]:text.signature",
    ],
  ])("the path %s is the field %s", (path, pattern) => expect(fieldNamed(body, path)).toBe(pattern));
});

describe("no field is found by a path", () => {
  test.each([
    ["that is not there", "tools.0.custom.y"],
    ["of an element that is not there", "tools.7.x"],
    ["of a whole element", "tools.0"],
    ["of another type than the element's", "messages.1.content.1.thinking.signature"],
    ["into a tool's own schema", "tools.0.custom.input_schema.x"],
    ["into the input of a tool's call", "messages.4.content.0.tool_use.input.x"],
    ["into a text", "messages.3.content.0.x"],
    ["whose name no pattern can hold", "with.dots"],
    ["that is empty", ""],
    ["of what every object has", "constructor"],
    ["of what every object has, deeper", "output_config.__proto__.toString"],
  ])("no field is found by a path %s", (_, path) => expect(fieldNamed(body, path)).toBeUndefined());

  test("no field is found by a path that can be read in two ways, since a caller may name a field as a path", () => {
    expect(fieldNamed({ "tools.0.x": 1, tools: [{ x: 1 }] }, "tools.0.x")).toBeUndefined();
    expect(fieldNamed({ system: [{ type: "text", text: { x: 1 }, x: 1 }] }, "system.0.text.x")).toBeUndefined();
  });

  test.each(["a.b", "a b", "é", "x[]"])("no field is found in an element of the type %j", (type) =>
    expect(fieldNamed({ tools: [{ type, x: 1 }] }, "tools.0.x")).toBeUndefined(),
  );
});

test("a pattern says what holds its field, by name and type", () => {
  expect(heldBy("tools[]:custom.x")).toEqual({ holder: "tools:custom", field: "x" });
  expect(heldBy("messages[]:user.content[]:text.cache_control:ephemeral.ttl")).toEqual({
    holder: "cache_control:ephemeral",
    field: "ttl",
  });
  expect(heldBy("x")).toEqual({ holder: ":", field: "x" });
});

test("people read a pattern without types", () => {
  expect(withoutTypes("messages[]:user.content[]:text.signature")).toBe("messages[].content[].signature");
});

import { describe, expect, test } from "@jest/globals";
import { checkSystemTurns } from "../../../bedrock/request/system-turns.ts";

type Messages = Parameters<typeof checkSystemTurns>[0];

const user = { role: "user", content: "hi" };
const assistant = { role: "assistant", content: "Hello" };
const system = { role: "system", content: "Be brief." };
const directive = { role: "system", content: [], output_config: { effort: "low" } };
const checking = (...messages: object[]) => checkSystemTurns(messages as Messages);

describe("a system turn stands after the user and before the model", () => {
  test.each([
    ["at the end", [user, system]],
    ["before an answer", [user, system, assistant, user]],
    ["several in a row", [user, system, system, assistant, user, system]],
  ])("%s", (_, messages) => {
    expect(() => checking(...messages)).not.toThrow();
  });

  test.each([
    [
      "at the beginning",
      [system, user],
      "messages.0: use the top-level 'system' parameter for the initial system prompt;",
    ],
    [
      "after an answer",
      [user, assistant, system, user],
      "messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result;",
    ],
    [
      "before a user",
      [user, system, system, user],
      "messages.2: role 'system' must precede an 'assistant' message or end the array;",
    ],
  ])("a system turn is not accepted %s", (_, messages, words) => {
    expect(() => checking(...messages)).toThrow(words);
  });
});

test("a system turn without words may be anywhere", () => {
  expect(() => checking(directive, user, directive, assistant, directive, user)).not.toThrow();
});

describe("it holds", () => {
  test.each([
    ["something", "", "messages.1: system content must contain at least one block"],
    ["a block", [], "messages.1: system content must contain at least one block"],
    [
      "no picture",
      [{ type: "image", source: { type: "base64" } }],
      "messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only",
    ],
  ])("%s", (_, content, words) => {
    expect(() => checking(user, { role: "system", content })).toThrow(words);
  });
});

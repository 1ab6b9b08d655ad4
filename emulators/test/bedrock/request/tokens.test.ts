import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { RequestBody } from "../../../bedrock/request/body-schema.ts";
import { countPrompt, countText, firstTokens, promptParts } from "../../../bedrock/request/tokens.ts";
import { question } from "../../support/model-host-server.ts";

const count = (body: object) => countPrompt(promptParts(body as RequestBody));

describe("a prompt's tokens", () => {
  test("a prompt has one token for every four characters, and three for each message", () => {
    expect(count(question("abcd"))).toBe(1 + 3);
    expect(count(question("abcde"))).toBe(2 + 3);
  });

  test("a prompt's tokens are the same for a text and for a list of one text", () => {
    const block = { role: "user", content: [{ type: "text", text: "abcde" }] };
    expect(count(question("", { messages: [block] }))).toBe(count(question("abcde")));
  });

  test("a prompt's tokens include the system prompt, tools and earlier messages", () => {
    const plain = count(question("hello"));
    expect(count(question("hello", { system: "x".repeat(400) }))).toBe(plain + 100);
    expect(count(question("hello", { tools: [{ name: "a", input_schema: { type: "object" } }] }))).toBe(plain + 12);
    const answered = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "x".repeat(40) },
    ];
    expect(count(question("", { messages: [...answered, { role: "user", content: "hello" }] }))).toBe(plain + 4 + 13);
  });

  test("a prompt's tokens do not include settings for the answer", () => {
    expect(count(question("hello", { max_tokens: 9, temperature: 1, metadata: { user_id: "x" } }))).toBe(
      count(question("hello")),
    );
  });

  test("a prompt's tokens for pictures and documents do not grow with the length of their encoding", () => {
    const data = "A".repeat(4000);
    const source = { type: "base64", media_type: "image/png", data };
    const says = (...content: object[]) => question("", { messages: [{ role: "user", content }] });
    expect(count(says({ type: "image", source }))).toBe(1600 + 3);
    expect(count(says({ type: "document", source }))).toBe(100 + 3);
    expect(count(says({ type: "tool_result", tool_use_id: "t", content: [{ type: "image", source }] }))).toBe(1600 + 3);
    expect(count(says({ type: "tool_result", tool_use_id: "t", content: "x".repeat(40) }))).toBe(10 + 3);
  });
});

test("a text is cut only after whole tokens, and never inside a character", () => {
  expect(firstTokens("abcdefgh", 1)).toBe("abcd");
  expect(firstTokens("abc😀def", 1)).toBe("abc");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 5 }), (text, tokens) => {
      const first = firstTokens(text, tokens);
      expect(text.startsWith(first)).toBe(true);
      expect(first.isWellFormed()).toBe(true);
      expect(countText(first)).toBe(Math.min(tokens, countText(text)));
    }),
  );
});

test("automatic caching adds a breakpoint after the last block, and keeps a breakpoint that the block has already", () => {
  const ttls = (body: object) => promptParts(body as RequestBody).map(({ ttl }) => ttl);
  const system = [{ type: "text", text: "be brief" }];
  const cache_control = { type: "ephemeral" };
  expect(ttls(question("hi", { system, cache_control }))).toEqual([undefined, "5m"]);
  expect(ttls(question("hi", { cache_control: { ...cache_control, ttl: "1h" } }))).toEqual(["1h"]);
  const marked = [
    { role: "user", content: [{ type: "text", text: "x", cache_control: { ...cache_control, ttl: "1h" } }] },
  ];
  expect(ttls(question("", { messages: marked, cache_control }))).toEqual(["1h"]);
});

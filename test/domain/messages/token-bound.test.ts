import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  definedToolTokens,
  estimatedInputTokens,
  featuresOf,
  inputTokensBound,
  maxImageTokens,
  promptOverheadTokens,
  tokenBounds,
} from "../../../domain/messages/token-bound.ts";

const contextWindow = 1_000_000;
const bytesOf = (body: unknown) => Buffer.byteLength(JSON.stringify(body) ?? "");
const bound = (body: unknown, window = contextWindow) => inputTokensBound(body, bytesOf(body), window);
const asking = (...content: unknown[]) => ({ model: "m", max_tokens: 1, messages: [{ role: "user", content }] });
const image = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } });
const base64 = "iVBORw0KGgo".repeat(10_000);

test("text has at most one token for each byte of the body", () => {
  const body = { messages: [{ role: "user", content: "héllo 世界" }], system: "be brief" };
  expect(bound(body)).toBe(bytesOf(body) + promptOverheadTokens);
});

describe("images", () => {
  test("images in a prompt have a fixed number of tokens, however many bytes they have", () => {
    expect(bound(asking(image(base64)))).toBe(bound(asking(image(""))));
    expect(bound(asking(image("")))).toBe(bytesOf(asking(image(""))) + maxImageTokens + promptOverheadTokens);
  });

  test("images in a prompt are found in tool results and in documents made of blocks", () => {
    const inResult = { type: "tool_result", tool_use_id: "t", content: [image(base64), image(base64)] };
    const inDocument = { type: "document", source: { type: "content", content: [image(base64)] } };
    for (const [block, images] of [
      [inResult, 2],
      [inDocument, 1],
    ] as const) {
      const text = bytesOf(asking(block)) - images * base64.length;
      expect(bound(asking(block))).toBe(text + images * maxImageTokens + promptOverheadTokens);
    }
  });

  test("images in a prompt do not count as images if the model reads text there, or if they are not base64", () => {
    const input = { type: "tool_use", id: "t", name: "n", input: image(base64) };
    expect(bound(asking(input))).toBe(bytesOf(asking(input)) + promptOverheadTokens);
    const remote = { type: "image", source: { type: "url", url: "https://example.com", data: base64 } };
    expect(bound(asking(remote))).toBeGreaterThan(base64.length);
  });
});

describe("documents", () => {
  test.each([
    { type: "base64", media_type: "application/pdf", data: "JVBERi0x" },
    { type: "url", url: "https://example.com/a.pdf" },
    undefined,
  ])("documents sent as files are bounded only by the context window", (source) => {
    expect(bound(asking({ type: "document", source }), 200_000)).toBe(200_000);
  });

  test("documents given as text are counted as text", () => {
    const body = asking({ type: "document", source: { type: "text", media_type: "text/plain", data: "some words" } });
    expect(bound(body)).toBe(bytesOf(body) + promptOverheadTokens);
  });
});

test("Anthropic's tools have the tokens of their definition, and the caller's tools those of their text", () => {
  const tools = [
    { name: "mine", input_schema: { type: "object" } },
    { type: "custom", name: "mine_too", input_schema: { type: "object" } },
    { type: "bash_20250124", name: "bash" },
  ];
  const body = { ...asking("x"), tools };
  expect(bound(body)).toBe(bytesOf(body) + promptOverheadTokens + definedToolTokens);
});

test.each<[unknown]>([[1], [null], [undefined], [{}], [{ toString: 1 }], [["compact"]]])(
  "an edit of the type %j asks for no compaction",
  (type) => {
    const body = { ...asking("x"), context_management: { edits: [{ type }, "compact", null] } };
    const bounds = tokenBounds(body, bytesOf(body), { max_input_tokens: 1_000_000, max_output_tokens: 1_000 });
    expect(bounds.output).toBe(1);
  },
);

test("no bound of tokens exceeds the context window", () => {
  expect(bound(asking({ type: "text", text: "x".repeat(300_000) }), 200_000)).toBe(200_000);
});

test("the tokens of a body nested deeper than the stack are bounded", () => {
  const depth = 200_000;
  const text = `{"messages":[{"content":${'[{"type":"tool_result","content":'.repeat(depth)}[]${"}]".repeat(depth)}}]}`;
  expect(inputTokensBound(JSON.parse(text), text.length, 10 ** 9)).toBe(text.length + promptOverheadTokens);
});

test("the bound of tokens of any body is between its text and the context window", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.jsonValue().map(asking)), (body) => {
      expect(bound(body)).toBe(Math.min(contextWindow, bytesOf(body) + promptOverheadTokens));
    }),
  );
});

describe("an estimate", () => {
  const estimate = (body: unknown, most = contextWindow) => estimatedInputTokens(body, bytesOf(body), most);

  test("an estimate of input tokens counts a token for 3.5 bytes of text, and the usual size of an image", () => {
    const body = asking({ type: "text", text: "x".repeat(35_000) });
    expect(estimate(body)).toBe(Math.ceil(bytesOf(body) / 3.5));
    const inResult = { type: "tool_result", tool_use_id: "t", content: [image(base64), image(base64)] };
    const text = bytesOf(asking(inResult)) - 2 * base64.length;
    expect(estimate(asking(inResult))).toBe(Math.ceil(text / 3.5) + 2 * 1_568);
  });

  test("an estimate of input tokens leaves out a file with uncounted pages, and is never above the bound", () => {
    const file = (data: string) => asking({ type: "document", source: { type: "base64", data } });
    expect(estimate(file(base64))).toBe(estimate(file("")));
    fc.assert(
      fc.property(fc.jsonValue(), (content) => {
        const body = asking(content);
        expect(estimate(body, bound(body))).toBeLessThanOrEqual(bound(body));
      }),
    );
    expect(estimate(asking({ type: "text", text: "x".repeat(35_000) }), 9)).toBe(9);
  });
});

describe("a whole request", () => {
  const model = { max_input_tokens: 200_000, max_output_tokens: 64_000 };
  const request = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
  const compacting = { ...request, context_management: { edits: [{ type: "compact_20260112" }] } };

  test("a request is bounded by its prompt and max_tokens", () => {
    expect(tokenBounds(request, 500, model)).toEqual({ input: 500 + promptOverheadTokens, output: 100 });
  });

  test("the bound of a request with compaction counts its prompt twice, and the summary", () => {
    const { input, output } = tokenBounds(request, 500, model);
    expect(tokenBounds(compacting, 500, model)).toEqual({ input: 2 * input + 64_000, output: output + 64_000 });
  });

  test("the features of a request say whether it uses compaction and caching", () => {
    const asked = (body: typeof request) => featuresOf(body, JSON.stringify(body));
    expect(asked(request)).toEqual({ compaction: false, caching: false, oneHourCaching: false });
    expect(asked(compacting)).toEqual({ compaction: true, caching: false, oneHourCaching: false });
    const cached = {
      ...request,
      system: [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }],
    };
    expect(asked(cached)).toEqual({ compaction: false, caching: true, oneHourCaching: true });
    expect(featuresOf(compacting as never, "").compaction).toBe(true);
    for (const context_management of [null, 7, { edits: "x" }, { edits: [null, { type: 7 }] }]) {
      expect(featuresOf({ ...request, context_management }, "").compaction).toBe(false);
    }
  });
});

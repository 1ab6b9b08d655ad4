import { describe, expect, test } from "@jest/globals";
import { findModel, type Model, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import {
  checkInferenceGeo,
  parseMessagesBody as parseWithin,
  requireMaxTokens,
  withinOutputLimit,
} from "../../../domain/messages/body.ts";
import { bridgeCount } from "../../../domain/messages/counting.ts";

const catalog = parseCatalog(catalogData);
const model = findModel(catalog, "claude-sonnet-5") as Model;
const base = { model: "claude-sonnet-5", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };
const maxBodyBytes = 1_000_000;
const parseMessagesBody = (text: string) => parseWithin(text, { maxBytes: maxBodyBytes });
const body = (changes: object = {}) => parseMessagesBody(JSON.stringify({ ...base, ...changes }));

function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a body that would cost seconds to read", () => {
  const withTools = (tools: string) => `{"tools":${tools},${JSON.stringify(base).slice(1)}`;
  const refused = (text: string) => refusalOf(() => parseMessagesBody(text));

  test("a body that would take seconds to read is refused by its number of values, fields or levels, and the limit is named", () => {
    const many = `[${Array(200_001).fill("1").join(",")}]`;
    expect(refused(withTools(many))).toMatchObject({
      code: "request_too_large",
      message: expect.stringMatching(/^body: has 2000\d\d values, at most 200000 are allowed$/),
    });
    const fields = Array.from({ length: 1_000 }, (_, index) => `"f${index}":1`).join();
    expect(refused(`{${fields},${JSON.stringify(base).slice(1)}`)).toMatchObject({
      code: "request_too_large",
      message: "body: has 1003 fields, at most 1000 are allowed",
    });
    const deep = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
    expect(refused(withTools(deep))).toMatchObject({
      code: "invalid_request",
      message: "body: is nested too deeply, at most 1000 levels are allowed",
    });
  });

  test("a body with 190,000 commas and brackets inside texts is accepted, because they are not values", () => {
    expect(parseMessagesBody(withTools(`[${Array(190_000).fill("1").join(",")}]`)).tools).toHaveLength(190_000);
    expect(body({ system: "[{,".repeat(200_000) }).system).toHaveLength(600_000);
  });
});

describe("a body", () => {
  test.each([
    ["", "body: is required"],
    [" \n", "body: is required"],
    ["{", "body: must be JSON"],
    ["\u{feff}{}", "body: must be JSON"],
    ["null", "body: expected object"],
    ["[]", "body: expected object"],
    ["7", "body: expected object"],
    ["{}", "model: is required; messages: is required"],
    [JSON.stringify({ ...base, model: 5 }), "model: must be a model id"],
    [JSON.stringify({ ...base, model: "" }), "model: must be a model id"],
    [JSON.stringify({ ...base, messages: {} }), "messages: must be a list of messages"],
    [JSON.stringify({ ...base, messages: [] }), "messages: must hold at least one message"],
    [JSON.stringify({ ...base, max_tokens: "10" }), "max_tokens: must be a whole number from 1"],
    [JSON.stringify({ ...base, max_tokens: 0 }), "max_tokens: must be a whole number from 1"],
    [JSON.stringify({ ...base, max_tokens: 1.5 }), "max_tokens: must be a whole number from 1"],
    [`{"max_tokens":1e400,${JSON.stringify(base).slice(1, -1).replace('"max_tokens":10,', "")}}`, "max_tokens: "],
    [JSON.stringify({ ...base, stream: "true" }), "stream: must be true or false"],
    [JSON.stringify({ ...base, stream: 1 }), "stream: must be true or false"],
  ])("the body %j of a message is refused with the name of the field", (text, words) => {
    const refusal = refusalOf(() => parseMessagesBody(text));
    expect(refusal.code).toBe("invalid_request");
    expect(refusal.message).toContain(words);
  });

  test("several mistakes in the body of a message are reported at once, without quoting values", () => {
    const refusal = refusalOf(() =>
      parseMessagesBody(JSON.stringify({ model: 5, messages: "secret words", stream: "x" })),
    );
    expect(refusal.message.split("; ")).toHaveLength(3);
    expect(refusal.message).not.toContain("secret");
  });

  test("a body larger than Lambda accepts is refused, counted in bytes", () => {
    const wide = "é".repeat(maxBodyBytes / 2);
    expect(refusalOf(() => parseMessagesBody(wide))).toMatchObject({ code: "invalid_request" });
    expect(refusalOf(() => parseMessagesBody(`${wide}é`))).toMatchObject({ code: "request_too_large" });
  });

  test("the body of a message needs max_tokens for an answer, and not for counting", () => {
    const { max_tokens: _gone, ...counted } = base;
    const parsed = parseMessagesBody(JSON.stringify(counted));
    expect(refusalOf(() => requireMaxTokens(parsed)).message).toBe("max_tokens: is required");
    expect(JSON.parse(bridgeCount(parsed, model, []).body)).toMatchObject({ max_tokens: 1 });
    expect(JSON.parse(bridgeCount(body(), model, []).body)).toMatchObject({ max_tokens: 10 });
  });
});

describe("the output that is asked for", () => {
  const sonnet46 = findModel(catalog, "claude-sonnet-4-6") as Model;
  const asking = (max_tokens: number, to = model, more: object = {}) =>
    withinOutputLimit(body({ max_tokens, ...more }), to);

  test("the requested max_tokens is kept if the model can write that much", () => {
    const asked = body({ max_tokens: 128_000 });
    expect(withinOutputLimit(asked, model)).toBe(asked);
  });

  test("the requested max_tokens is lowered to the model host's limit if the vendor's own API accepts more", () => {
    expect([64_000, 64_001, 128_000].map((most) => asking(most, sonnet46).max_tokens)).toEqual([
      64_000, 64_000, 64_000,
    ]);
  });

  test("lowering max_tokens leaves the thinking budget its share", () => {
    const enabled = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });
    expect(asking(128_000, sonnet46, enabled(63_999))).toMatchObject(enabled(63_999));
    expect(asking(128_000, sonnet46, enabled(127_999))).toMatchObject({ max_tokens: 64_000, ...enabled(63_999) });
    expect(asking(128_000, sonnet46, enabled(64_000))).toMatchObject({ max_tokens: 64_000, ...enabled(32_000) });
  });

  test.each([
    ["claude-sonnet-5", 128_000],
    ["claude-sonnet-4-6", 128_000],
    ["claude-haiku-4-5", 64_000],
  ])("max_tokens above the vendor's limit is refused with the message that clients recognize: %s", (id, most) => {
    expect(refusalOf(() => asking(most + 1, findModel(catalog, id)))).toMatchObject({
      code: "invalid_request",
      message: `max_tokens: ${most + 1} > ${most}, which is the maximum allowed number of output tokens for ${id}`,
    });
  });

  test("the requested max_tokens is lowered for a count, too", () => {
    const counted = bridgeCount(body({ max_tokens: 128_000 }), sonnet46, []);
    expect(JSON.parse(counted.body)).toMatchObject({ max_tokens: 64_000 });
  });
});

describe("a place that the body asks for", () => {
  const asking = (place: object) => () => checkInferenceGeo(body(place), ["x-region", "x-other"]);

  test.each(["us", "eu", "", 7, {}, []])(
    "inference_geo in the body is refused by name, with the way to choose a region: %j",
    (inference_geo) => {
      expect(refusalOf(asking({ inference_geo }))).toMatchObject({
        code: "invalid_request",
        unsupported: ["inference_geo"],
        message: expect.stringMatching(/^inference_geo: .* with the header x-region or x-other$/),
      });
    },
  );

  test.each([{}, { inference_geo: null }, { inference_geo: "global" }])(
    "the value %j of inference_geo is accepted, because it names no place",
    (place) => {
      expect(asking(place)).not.toThrow();
    },
  );
});

import { beforeEach, expect, test } from "@jest/globals";
import { ModelHostError } from "../../../domain/messages/model-host.ts";
import { aTenant, tenantId } from "../../support/accounting/admissions.ts";
import { openProxy, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
  proxy.tenants.set("acme", aTenant({ has_payment_method: false }));
  proxy.accounting.grant(tenantId);
});

/** Some 20 KB of English. Its bytes are more than a credit and another one. */
const prompt = (words: number) => ({
  model: "claude-haiku-4-5",
  max_tokens: 50,
  messages: [{ role: "user", content: "arch ".repeat(words) }],
});
const counting = (tokens: number) => {
  proxy.host.play.countTokens = async () => tokens;
};
const operations = () => proxy.host.calls.map(({ operation }) => operation);

test("a prompt on free credit that fits by its bytes is not counted", async () => {
  expect((await proxy.ask({ body: prompt(1_000) })).status).toBe(200);
  expect(operations()).not.toContain("countTokens");
});

test("a prompt of 20 KB whose tokens fit into the rest of the free credit is admitted, with its count reserved", async () => {
  counting(4_878);
  const { status, requestId } = await proxy.ask({ body: prompt(4_000) });
  expect([status, operations()[0]]).toEqual([200, "countTokens"]);
  expect(proxy.rowOf(requestId)).toMatchObject({ on_credit: true });
});

test("a prompt whose tokens do not fit into the free credit is refused with their count", async () => {
  counting(19_900);
  const { status, json } = await proxy.ask({ body: prompt(6_000) });
  expect([status, json.error.message]).toEqual([
    429,
    expect.stringContaining("19900 for its prompt, as count_tokens tells"),
  ]);
  expect(operations()).toEqual(["countTokens"]);
});

test("a prompt on free credit that could not be counted, or is far too large, is refused by its size", async () => {
  proxy.host.play.countTokens = async () => {
    throw new ModelHostError("unavailable", "down");
  };
  const { json } = await proxy.ask({ body: prompt(4_000) });
  expect(json.error.message).toContain("by the size of its body");
  proxy.host.calls.length = 0;
  expect((await proxy.ask({ body: prompt(60_000) })).json.error.message).toContain("by the size of its body");
  expect(operations()).toEqual([]);
});

test("counting a prompt on free credit counts towards the caller's rate limit", async () => {
  counting(19_900);
  let last = 0;
  for (let calls = 0; calls < 100 && last !== 60; calls++) {
    const { headers, status } = await proxy.ask({ body: prompt(6_000) });
    last = status === 429 && headers["retry-after"] ? 60 : 0;
  }
  expect(last).toBe(60);
});

// A region without room: the local model host throttles one region, under the rights that the stack gives in both.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled, spendingOf } from "../../support/accounting/accounting.ts";
import { aServiceAccount, ask, type ClientOptions } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const [own, second] = ["eu-central-1", "eu-central-2"];
const grant = { allowed_regions: [own, second], default_region: own };
const model = "claude-opus-4-8";

describe("a region without room", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterEach(async () => settled(stack));

  const isShort = (
    region: string | undefined,
    error: "ThrottlingException" | "throttlingException" = "ThrottlingException",
  ) => stack.bedrock.fail({ error, model: `anthropic.${model}`, ...(region && { region }) });

  /** Asks, and says the status, the region that the answer names, and the regions that the model host was called in. */
  async function asked(options: ClientOptions, changes: object = {}) {
    const known = stack.bedrock.requests().length;
    const response = await ask(stack, { model, ...changes }, options);
    const text = await response.text();
    await settled(stack);
    const regions = stack.bedrock
      .requests()
      .slice(known)
      .map(({ region }) => region);
    return { said: [response.status, response.headers.get("x-archway-region"), ...regions], text, response };
  }

  test.each([true, false])(
    "a call (stream: %j) is answered in the second region, and so are the caller's next calls, but nobody else's",
    async (stream) => {
      const { key, caller_id } = await aServiceAccount(stack, { ...grant, fallback_region: second });
      const { key: other } = await aServiceAccount(stack, { ...grant, fallback_region: second });
      isShort(own);
      expect((await asked({ key }, { stream })).said).toEqual([200, second, own, second]);
      expect((await asked({ key }, { stream })).said).toEqual([200, second, second]);
      expect((await asked({ key }, { stream, model: "claude-sonnet-5" })).said).toEqual([200, null, own]);
      expect((await asked({ key, headers: { "x-platform-region": own } }, { stream })).said).toEqual([200, null, own]);
      expect((await asked({ key: other }, { stream })).said).toEqual([200, null, own]);
      const { spent, committed, inflight, fallbacks } = await spendingOf(stack, caller_id);
      expect([committed, inflight, fallbacks]).toEqual([
        spent,
        0,
        [{ model, region: second, until: expect.any(Number) }],
      ]);
      const owner = await consoleToken(stack, stack.demo?.owner ?? { email: "", password: "" });
      const page = await callControlPlane(stack, owner, "GET", `/v1/calls?caller_id=${caller_id}`);
      const calls = (page as { data: { region: string }[] }).data.map(({ region }) => region);
      expect(calls.sort()).toEqual([own, own, second, second]);
    },
  );

  test("a stream whose first event is a throttling is answered in the second region", async () => {
    const { key } = await aServiceAccount(stack, { ...grant, fallback_region: second });
    isShort(own, "throttlingException");
    const { said, text } = await asked({ key });
    expect(said).toEqual([200, second, own, second]);
    expect(text).toMatch(/^event: message_start\n.*event: message_stop\n/s);
  });

  test("a call without a second region, with a region of its own, or with both short, is refused as ever", async () => {
    const { key } = await aServiceAccount(stack, { ...grant, fallback_region: second });
    const { key: without } = await aServiceAccount(stack, grant);
    isShort(own);
    expect((await asked({ key: without })).said).toEqual([503, null, own]);
    isShort(own);
    expect((await asked({ key, headers: { "x-platform-region": own } })).said).toEqual([503, null, own]);
    isShort(own);
    isShort(second);
    const { said, response } = await asked({ key });
    expect([said, response.headers.get("retry-after")]).toEqual([[503, second, own, second], "5"]);
    expect((await asked({ key })).said).toEqual([200, null, own]);
  });
});

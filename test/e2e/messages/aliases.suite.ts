// The stack's own names for models (`archway:aliases` in local/stack.yaml), and the models that today's clients ask for.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { aServiceAccount, ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";

describe("aliases", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterEach(async () => settled(stack));

  const lastModel = () => stack.bedrock.requests().at(-1)?.modelId;

  test("a call by an alias is answered by its model, and a header names that model", async () => {
    const { key } = await aServiceAccount(stack, { allowed_models: ["latest"] });
    const response = await ask(stack, { model: "latest" }, { key });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(await response.text()).toMatch(/^event: message_start\n.*event: message_stop\n/s);
    expect([lastModel(), response.headers.get("x-archway-model")]).toEqual([
      "eu.anthropic.claude-opus-5-5",
      "claude-opus-5-5",
    ]);
  });

  test("a call by a name of the model's own has no header that names the model", async () => {
    const response = await ask(stack, { model: "claude-haiku-4-5-20251001" });
    expect([response.status, response.headers.get("x-archway-model")]).toEqual([200, null]);
  });

  test("Fable 5.2 answers for itself", async () => {
    const response = await ask(stack, { model: "claude-fable-5-2" });
    expect([response.status, lastModel()]).toEqual([200, "eu.anthropic.claude-fable-5-2"]);
    await response.text();
  });

  test("a grant for an alias allows its model and no other", async () => {
    const { key } = await aServiceAccount(stack, { allowed_models: ["latest"] });
    expect((await ask(stack, { model: "claude-opus-5-5" }, { key })).status).toBe(200);
    expect((await ask(stack, { model: "claude-opus-5" }, { key })).status).toBe(403);
  });

  test("aliases are not in the list of models, and can be read by name", async () => {
    const models = `${stack.at(`${stack.demo?.slug}.proxy`)}/vendor/v1/models`;
    const headers = { "x-api-key": stack.demo?.api_key ?? "" };
    const { data } = (await (await fetch(`${models}?limit=1000`, { headers })).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(expect.not.arrayContaining(["latest"]));
    expect(data.filter((model) => "stack_aliases" in model)).toMatchObject([
      { id: "claude-opus-5-5", stack_aliases: ["latest"] },
    ]);
    expect(await (await fetch(`${models}/latest`, { headers })).json()).toMatchObject({ id: "claude-opus-5-5" });
  });

  test.each(["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-haiku-4-5-20251001"])(
    "the model %s, which clients use by default, streams",
    async (model) => {
      const response = await ask(stack, { model });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("event: message_stop");
    },
  );
});

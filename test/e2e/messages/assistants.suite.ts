// What assistants send in the course of a conversation, as it was recorded from them, on every model.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { aServiceAccount, ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const ids = parseCatalog(catalogData).models.map(({ id }) => id);

describe("assistants", () => {
  let stack: Stack;
  let key: string;

  beforeAll(async () => {
    stack = await sharedStack();
    const rate_limit = { burst: 1_000, per_minute: 3_600 };
    ({ key } = await aServiceAccount(stack, { allow_global_profiles: true, rate_limit }));
  });
  afterEach(async () => {
    stack.bedrock.clear();
    await settled(stack);
  });

  /** Asks, and gives how often the model host was asked for that. */
  async function asked(body: object, flags: string) {
    const known = stack.bedrock.requests().length;
    const response = await ask(stack, body, { key, headers: { "anthropic-beta": flags } });
    const text = await response.text();
    return { status: response.status, text, response, calls: stack.bedrock.requests().length - known };
  }

  describe("Claude Code in auto mode, which asks with each message whether its tool calls are safe", () => {
    const flags = "claude-code-20250219,effort-2025-11-24,dangerous-tool-use-2026-09-03,afk-mode-2026-01-31";
    const dangerous = "dangerous-tool-use-2026-09-03";
    const body = {
      model: "claude-sonnet-5-5",
      output_config: { effort: "low" },
      safeguards: [{ type: "dangerous_tool_use", classifier_context: { allow: [] } }],
      tools: [{ name: "get_weather", input_schema: { type: "object", properties: { city: { type: "string" } } } }],
      messages: [{ role: "user", content: "Use get_weather for Rome" }],
    };
    const lastChunks = () => stack.bedrock.requests().at(-1)?.chunks ?? [];

    test.each(ids)(
      "Claude Code in auto mode gets the safety verdicts unchanged, whole and streamed: %s",
      async (model) => {
        const whole = await asked({ ...body, model, stream: false }, flags);
        expect([whole.status, whole.calls, whole.text]).toEqual([200, 1, lastChunks()[0]]);
        const { content, safeguard_results } = JSON.parse(whole.text);
        const [{ status }] = safeguard_results;
        expect(Object.keys(status.tool_uses)).toEqual([content.at(-1).id]);
        const streamed = await asked({ ...body, model }, flags);
        const delta = lastChunks().find((chunk) => chunk.includes("safeguard_results"));
        expect(JSON.parse(delta ?? "{}").delta.safeguard_results).toHaveLength(1);
        expect(streamed.text).toContain(`event: message_delta\ndata: ${delta}\n\n`);
        expect(streamed.response.headers.get("x-archway-dropped")).not.toContain("safeguards");
      },
    );

    test.each([
      ["safeguards: Extra inputs are not permitted", "claude-opus-5-5"],
      ["invalid beta flag", "claude-haiku-5-5"],
    ])(
      "Claude Code in auto mode continues without safety verdicts in a region that says %j, and is told once",
      async (message, model) => {
        const { key: other } = await aServiceAccount(stack, { allow_global_profiles: true });
        stack.bedrock.fail({ error: "ValidationException", message, model: `anthropic.${model}` });
        for (const calls of [2, 1]) {
          const known = stack.bedrock.requests().length;
          const headers = { "anthropic-beta": flags, "x-platform-region": "us-east-1" };
          const response = await ask(stack, { ...body, model }, { key: other, headers });
          expect([response.status, (await response.text()).includes("safeguard_results")]).toEqual([200, false]);
          expect(response.headers.get("x-archway-dropped")?.split(", ").sort()).toEqual([
            "afk-mode-2026-01-31",
            "claude-code-20250219",
            dangerous,
            "safeguards",
          ]);
          expect(stack.bedrock.requests().length - known).toBe(calls);
        }
        // The rest of the session does not suffer.
        expect(stack.bedrock.requests().at(-1)?.body).toMatchObject({
          anthropic_beta: ["effort-2025-11-24"],
          output_config: { effort: "low" },
        });
      },
    );

    test("Claude Code in auto mode is told that the safety verdicts were left out if their flag is missing", async () => {
      const { status, text, response, calls } = await asked(body, "effort-2025-11-24");
      expect([status, calls, text.includes("safeguard_results")]).toEqual([200, 1, false]);
      expect(response.headers.get("x-archway-dropped")).toBe("safeguards");
    });

    test.each<[unknown, string]>([
      [{}, "safeguards: Input should be a valid list"],
      ["all", "safeguards: Input should be a valid list"],
      [[{ type: "other" }], "safeguards.0.type: Input should be 'dangerous_tool_use'"],
      [[null], "safeguards.0: Input should be a valid dictionary"],
    ])("is refused by name for %j", async (safeguards, message) => {
      const { status, text, calls } = await asked({ ...body, safeguards }, flags);
      expect([status, JSON.parse(text).error.message, calls]).toEqual([400, message, 1]);
    });
  });

  test("the vendor's SDK is answered without a field of the vendor's own API that the model host does not know", async () => {
    const body = { model: "claude-opus-5", diagnostics: { request: "slow" } };
    const answer = await asked(body, "");
    expect([answer.status, answer.calls]).toEqual([200, 1]);
    expect(answer.response.headers.get("x-archway-dropped")).toBe("diagnostics");
  });

  test("an assistant of next month is answered without the field of its tools that the model host does not know", async () => {
    const tools = [{ name: "a", input_schema: { type: "object" }, of_next_month: true }];
    for (const calls of [2, 1]) {
      const answer = await asked({ model: "claude-opus-5", tools }, "");
      expect([answer.status, answer.calls]).toEqual([200, calls]);
      expect(answer.response.headers.get("x-archway-dropped")).toBe("tools[].of_next_month");
    }
  });

  test("a screenshot of 10 MB is refused as too large", async () => {
    const source = { type: "base64", media_type: "image/png", data: "A".repeat(10_000_000) };
    const { status, text, calls } = await asked(
      { messages: [{ role: "user", content: [{ type: "image", source }] }] },
      "",
    );
    expect([status, JSON.parse(text).error.type, calls]).toEqual([413, "request_too_large", 0]);
  });

  describe("Claude Code 2.1.330, whose effort for the turns to come stands in a turn without words", () => {
    const flags =
      "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27," +
      "mid-conversation-system-2026-04-07,effort-2025-11-24,per-turn-control-2026-07-01";
    const words = (text: string) => [{ type: "text", text }];
    const effort = (level: string) => ({ role: "system", content: [], output_config: { effort: level } });
    const summary = { role: "user", content: words("This session is continued from one that ran out of context.") };
    const asking = { role: "user", content: words("What is an arch?") };
    const answered = { role: "assistant", content: words("A curved structure.") };
    const date = { role: "system", content: words("Today is 2026-11-22.") };

    test.each(
      ids.flatMap(
        (model) =>
          [
            [model, "continues after /compact", [summary, effort("medium"), answered, asking]],
            [model, "continues after the first /effort", [asking, date, answered, effort("high"), asking]],
            [
              model,
              "continues after the second /effort",
              [asking, answered, effort("high"), asking, answered, effort("low"), asking],
            ],
            [model, "continues with /effort at the end", [asking, answered, asking, effort("max")]],
          ] as const,
      ),
    )("Claude Code 2.1.330 with %s %s", async (model, _event, messages) => {
      const { status, text, calls } = await asked({ model, messages, max_tokens: 8_000 }, flags);
      expect([text.includes("event: message_stop"), status, calls]).toEqual([true, 200, 1]);
    });
  });
});

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
    ({ key } = await aServiceAccount(stack, { allow_global_profiles: true }));
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
            [model, "goes on after /compact", [summary, effort("medium"), answered, asking]],
            [model, "goes on after the first /effort", [asking, date, answered, effort("high"), asking]],
            [
              model,
              "goes on after the second",
              [asking, answered, effort("high"), asking, answered, effort("low"), asking],
            ],
            [model, "goes on with one at the end", [asking, answered, asking, effort("max")]],
          ] as const,
      ),
    )("%s %s", async (model, _event, messages) => {
      const { status, text, calls } = await asked({ model, messages, max_tokens: 8_000 }, flags);
      expect([text.includes("event: message_stop"), status, calls]).toEqual([true, 200, 1]);
    });
  });
});

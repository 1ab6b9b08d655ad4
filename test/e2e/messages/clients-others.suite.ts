// Two clients that are not the vendor's: the AI SDK and LangChain, unmodified.
import { createAnthropic } from "@ai-sdk/anthropic";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { ChatAnthropic } from "@langchain/anthropic";
import { tool as langchainTool } from "@langchain/core/tools";
import { APICallError, generateText, RetryError, stepCountIs, streamText, tool } from "ai";
import * as z from "zod";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { aServiceAccount } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { longTest } from "../../support/sizes.ts";

describe("clients others", () => {
  let stack: Stack;
  let proxy: string;
  const model = "claude-sonnet-5";
  const prompt = "What is an arch?";

  beforeAll(async () => {
    stack = await sharedStack();
    proxy = `${stack.at(`${stack.demo?.slug}.proxy`)}/vendor`;
  });
  afterEach(async () => {
    stack.bedrock.clear();
    await settled(stack);
  });

  const failureOf = (act: Promise<unknown>): Promise<unknown> =>
    act.then(
      () => undefined,
      (error) => error,
    );

  describe("the AI SDK", () => {
    const claude = (apiKey = stack.demo?.api_key ?? "") => createAnthropic({ baseURL: `${proxy}/v1`, apiKey })(model);

    test("the AI SDK streams the same answer that it also gets whole, and requests 128,000 tokens", async () => {
      const whole = await generateText({ model: claude(), prompt });
      expect(stack.bedrock.requests().at(-1)).toMatchObject({
        operation: "InvokeModelWithResponseStream",
        body: { max_tokens: 128_000 },
      });
      let streamed = "";
      const result = streamText({ model: claude(), prompt });
      for await (const text of result.textStream) streamed += text;
      expect(streamed).toBe(whole.text);
      expect([whole.finishReason, await result.finishReason]).toEqual(["stop", "stop"]);
      expect((await result.usage).outputTokens).toBe(whole.usage.outputTokens);
    });

    test("the AI SDK calls a tool and continues with its result", async () => {
      const asked: unknown[] = [];
      const get_weather = tool({
        description: "The weather of a city",
        inputSchema: z.object({ city: z.string() }),
        execute: async (input) => {
          asked.push(input);
          return "Sunny";
        },
      });
      const { steps, text } = await generateText({
        model: claude(),
        prompt: "Use get_weather for Rome",
        tools: { get_weather },
        stopWhen: stepCountIs(2),
      });
      expect(asked).toEqual([{ city: expect.any(String) }]);
      expect([steps.length, text.length > 0]).toEqual([2, true]);
    });

    test("the AI SDK recognizes a refusal by its status and message, and does not try again", async () => {
      const before = stack.bedrock.requests().length;
      const error = await failureOf(generateText({ model: claude("ar_live_x"), prompt }));
      expect(error).toBeInstanceOf(APICallError);
      expect(error).toMatchObject({
        statusCode: 401,
        message: expect.stringMatching(/^The credential is not valid\. /),
        isRetryable: false,
      });
      expect(stack.bedrock.requests().length).toBe(before);
    });

    // It waits for the seconds that it is told.
    longTest("the AI SDK tries an overloaded model host again, as often as configured", async () => {
      stack.bedrock.fail({ error: "ServiceUnavailableException", times: Number.POSITIVE_INFINITY });
      const once = await failureOf(generateText({ model: claude(), prompt, maxRetries: 0 }));
      expect(once).toMatchObject({ statusCode: 503, isRetryable: true });
      const twice = await failureOf(generateText({ model: claude(), prompt, maxRetries: 1 }));
      expect(twice).toBeInstanceOf(RetryError);
      expect(stack.bedrock.requests()).toHaveLength(3);
    });

    test("the AI SDK is told of a failure inside a stream", async () => {
      stack.bedrock.fail({ error: "modelStreamErrorException", after: 3 });
      const errors: unknown[] = [];
      const result = streamText({ model: claude(), prompt, onError: ({ error }) => void errors.push(error) });
      for await (const _text of result.textStream);
      expect(errors).toHaveLength(1);
    });
  });

  describe("LangChain", () => {
    const claude = (options: { apiKey?: string; maxRetries?: number; maxTokens?: number } = {}) =>
      new ChatAnthropic({
        model,
        anthropicApiUrl: proxy,
        apiKey: stack.demo?.api_key ?? "",
        maxTokens: 200,
        ...options,
      });

    test("LangChain streams the same answer that it also gets whole", async () => {
      const whole = await claude().invoke(prompt);
      let streamed = "";
      for await (const chunk of await claude().stream(prompt)) streamed += chunk.text;
      expect(streamed).toBe(whole.text);
      expect(whole.usage_metadata).toMatchObject({ output_tokens: expect.any(Number) });
    });

    test.each([
      [8_192, "InvokeModel"],
      [8_193, "InvokeModelWithResponseStream"],
    ])(
      "LangChain calls a tool in a whole answer of at most %i tokens, which the host gives by %s",
      async (maxTokens, operation) => {
        const weather = langchainTool(async () => "Sunny", {
          name: "get_weather",
          description: "The weather of a city",
          schema: z.object({ city: z.string() }),
        });
        const { tool_calls } = await claude({ maxTokens }).bindTools([weather]).invoke("Use get_weather for Rome");
        expect(stack.bedrock.requests().at(-1)).toMatchObject({ operation });
        expect(tool_calls).toMatchObject([{ name: "get_weather", args: { city: expect.any(String) } }]);
      },
    );

    test("LangChain recognizes a refusal by its status, and does not try again", async () => {
      expect(await failureOf(claude({ apiKey: "ar_live_x" }).invoke(prompt))).toMatchObject({ status: 401 });
      const before = stack.bedrock.requests().length;
      stack.bedrock.fail({ error: "ValidationException", times: Number.POSITIVE_INFINITY });
      expect(await failureOf(claude().invoke(prompt))).toMatchObject({ status: 400 });
      expect(stack.bedrock.requests()).toHaveLength(before + 1);
    });

    test("LangChain stops at a spent budget instead of waiting for the next month", async () => {
      const { key } = await aServiceAccount(stack, { monthly_budget_usd: 0.000001 });
      await claude({ apiKey: key }).invoke(prompt);
      await settled(stack);
      expect(await failureOf(claude({ apiKey: key, maxRetries: 3 }).invoke(prompt))).toMatchObject({ status: 429 });
    });

    test("LangChain tries an overloaded model host again", async () => {
      stack.bedrock.fail({ error: "ThrottlingException" });
      const before = stack.bedrock.requests().length;
      expect((await claude({ maxRetries: 1 }).invoke(prompt)).text).not.toBe("");
      expect(stack.bedrock.requests()).toHaveLength(before + 2);
    });
  });
});

// The vendor's own SDK, unmodified, in its newest version and in 0.x: everything that assistants use of it.
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import OlderAnthropic from "anthropic-sdk-0";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { helperToken } from "../../../local/demo/app-client.ts";
import type { Stack } from "../../../local/stack.ts";
import { ledgerSince, settled } from "../../support/accounting/accounting.ts";
import { aServiceAccount } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { longTest } from "../../support/sizes.ts";

describe("clients anthropic", () => {
  let stack: Stack;
  let proxy: string;
  const model = "claude-sonnet-5";
  const catalog = parseCatalog(catalogData);
  const question = { model, max_tokens: 200, messages: [{ role: "user" as const, content: "What is an arch?" }] };
  const weather = {
    name: "get_weather",
    description: "The weather of a city",
    input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
  };

  beforeAll(async () => {
    stack = await sharedStack();
    proxy = `${stack.at(`${stack.demo?.slug}.proxy`)}/vendor`;
  });
  afterEach(async () => {
    stack.bedrock.clear();
    await settled(stack);
  });

  /** Counts the attempts and makes every wait short, as if time passed more quickly. */
  class Attempts {
    count = 0;
    waits: (string | null)[] = [];

    readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      this.count += 1;
      const response = await fetch(url, init);
      if (response.ok) return response;
      this.waits.push(response.headers.get("retry-after"));
      const headers = new Headers(response.headers);
      headers.set("retry-after-ms", "1");
      return new Response(response.body, { status: response.status, headers });
    };
  }

  /** What was sent, in order, and what it was answered. */
  class Exchanges {
    readonly made: { body: Record<string, unknown>; status: number; dropped: string | null; error: unknown }[] = [];

    readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(url, init);
      this.made.push({
        body: JSON.parse(String(init?.body)),
        status: response.status,
        dropped: response.headers.get("x-archway-dropped"),
        error: response.ok ? undefined : await response.clone().json(),
      });
      return response;
    };
  }

  describe("the newest SDK's helpers", () => {
    const client = (fetch: Exchanges["fetch"]) =>
      new Anthropic({ baseURL: proxy, apiKey: stack.demo?.api_key ?? "", fetch, maxRetries: 0 });

    test("the newest Anthropic SDK runs tools: after one refusal of a thread it sends the whole history", async () => {
      const exchanges = new Exchanges();
      const cities: unknown[] = [];
      const runner = client(exchanges.fetch).beta.messages.toolRunner({
        ...question,
        messages: [{ role: "user", content: "Use get_weather for Rome" }],
        tools: [
          betaTool({
            name: "get_weather",
            description: "The weather of a city",
            inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
            run: ({ city }) => {
              cities.push(city);
              return "Sunny";
            },
          }),
        ],
      });
      const message = await runner.runUntilDone();
      expect([message.stop_reason, cities.length]).toEqual(["end_turn", 1]);
      const [threaded, ...rest] = exchanges.made;
      expect(threaded).toMatchObject({
        status: 400,
        body: { thread: expect.anything() },
        error: { error: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } } },
      });
      expect(rest.map(({ status, body }) => [status, "thread" in body, (body.messages as []).length])).toEqual([
        [200, false, 1],
        [200, false, 3],
      ]);
    });

    test("helpers of the newest Anthropic SDK leave session and subagent on the ledger row", async () => {
      const headers = { "x-claude-code-session-id": "session-e2e", "x-claude-code-agent-id": "agent-e2e" };
      const since = stack.clock.now();
      const asked = client(new Exchanges().fetch).messages.create(question, { headers }).asResponse();
      const requestId = (await asked).headers.get("request-id");
      await settled(stack);
      const rows = await ledgerSince(stack, since);
      expect(rows.find(({ request_id }) => request_id === requestId)).toMatchObject({
        session_id: "session-e2e",
        agent_id: "agent-e2e",
      });
    });

    test("helpers of the newest Anthropic SDK send future flags, and see in a header that the model host does not know them", async () => {
      const exchanges = new Exchanges();
      const { beta } = client(exchanges.fetch);
      for (let times = 0; times < 2; times++) {
        const message = await beta.messages.create({
          ...question,
          betas: ["of-tomorrow-2027-01-01", "effort-2025-11-24"],
        });
        expect(message.stop_reason).toBe("end_turn");
      }
      expect(exchanges.made.map(({ status, dropped }) => [status, dropped])).toEqual([
        [200, "of-tomorrow-2027-01-01"],
        [200, "of-tomorrow-2027-01-01"],
      ]);
    });
  });

  describe.each([
    ["newest", Anthropic],
    ["0.x", OlderAnthropic as unknown as typeof Anthropic],
  ])("the SDK, %s", (name, Sdk) => {
    // The older one's tool in a stream and its classes of errors stand for all that it sends as the newest does.
    const alike = name === "newest" ? test : longTest;
    const client = (options: ConstructorParameters<typeof Anthropic>[0] = {}) =>
      new Sdk({ baseURL: proxy, apiKey: stack.demo?.api_key ?? "", ...options });

    test("the Anthropic SDK uses a tool in a stream, and continues with its result", async () => {
      const asked = { role: "user" as const, content: "Use get_weather for Rome" };
      const partial: string[] = [];
      const stream = client().messages.stream({ ...question, tools: [weather], messages: [asked] });
      stream.on("inputJson", (json) => void partial.push(json));
      const message = await stream.finalMessage();
      const use = message.content.find((block) => block.type === "tool_use");
      expect([message.stop_reason, use?.name]).toEqual(["tool_use", "get_weather"]);
      expect(JSON.parse(partial.join(""))).toEqual(use?.input);
      const answer = await client().messages.create({
        ...question,
        tools: [weather],
        messages: [
          asked,
          { role: "assistant", content: message.content },
          { role: "user", content: [{ type: "tool_result", tool_use_id: use?.id ?? "", content: "Sunny" }] },
        ],
      });
      expect([answer.stop_reason, answer.content[0]?.type]).toEqual(["end_turn", "text"]);
    });

    alike("sends a system prompt with a cache mark, an image and thinking", async () => {
      const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
      const message = await client().messages.create({
        ...question,
        system: [{ type: "text", text: "Be brief. ".repeat(500), cache_control: { type: "ephemeral" } }],
        messages: [
          {
            role: "user",
            content: [
              { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
              { type: "text", text: "What is it?" },
            ],
          },
        ],
      });
      expect(message.usage.cache_creation_input_tokens).toBeGreaterThan(0);
    });

    alike("counts tokens of every model, in its beta namespace too, by either endpoint of the model host", async () => {
      const allowed_regions = ["eu-central-1", "eu-central-2", "us-east-1"];
      const { key } = await aServiceAccount(stack, { allow_global_profiles: true, allowed_regions });
      const attempts = new Attempts();
      const counting = client({ apiKey: key, fetch: attempts.fetch });
      const { messages } = question;
      const asked = { messages, system: "Be brief.", tools: [weather] };
      for (const { id } of catalog.models) {
        const { input_tokens } = await counting.messages.countTokens({ model: id, ...asked });
        const beta = await counting.beta.messages.countTokens({
          model: id,
          ...asked,
          betas: ["context-1m-2025-08-07"],
        });
        const { usage } = await counting.messages.create({ model: id, max_tokens: 20, ...asked });
        expect([id, input_tokens, beta.input_tokens]).toEqual([id, usage.input_tokens, usage.input_tokens]);
      }
      expect(attempts.count).toBe(3 * catalog.models.length);
      const regions = stack.bedrock.requests().flatMap((call) => (call.operation === "CountTokens" ? call.region : []));
      expect(new Set(regions)).toEqual(new Set(["eu-central-1", "eu-west-1"]));
    });

    alike.each([
      ["eu-central-2", ["eu-central-2", "eu-west-1"]],
      ["us-east-1", ["us-east-1"]],
    ])("counts tokens of every model that is in %s in its geography", async (region, places) => {
      const allowed_regions = ["eu-central-1", region];
      const { key } = await aServiceAccount(stack, { allow_global_profiles: true, allowed_regions });
      const counting = client({ apiKey: key, defaultHeaders: { "x-platform-region": region } });
      const served = catalog.models.filter(({ profiles }) => Object.keys(profiles).includes(region));
      for (const { id: model } of served) await counting.messages.countTokens({ model, messages: question.messages });
      const asked = stack.bedrock.requests();
      expect([asked.length, new Set(asked.map((call) => call.region))]).toEqual([served.length, new Set(places)]);
    });

    alike.each(["claude-opus-4-5", "claude-opus-5-5"])("counts a conversation with %s that thinks", async (id) => {
      const adaptive = id === "claude-opus-5-5";
      const thinking = adaptive ? { type: "adaptive" as const } : { type: "enabled" as const, budget_tokens: 4_000 };
      const { input_tokens } = await client().messages.countTokens({
        model: id,
        messages: question.messages,
        thinking,
      });
      expect(input_tokens).toBeGreaterThan(0);
    });

    alike("pages through the models, and gets each by its id", async () => {
      const ids: string[] = [];
      for await (const { id } of client().models.list({ limit: 2 })) ids.push(id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThan(2);
      for (const id of ids) expect(await client().models.retrieve(id)).toMatchObject({ id, type: "model" });
    });

    alike("works through its beta namespace", async () => {
      const message = await client().beta.messages.create({ ...question, betas: ["context-1m-2025-08-07"] });
      expect(message.stop_reason).toBe("end_turn");
      const counted = await client().beta.messages.stream(question).finalMessage();
      expect(counted.usage.output_tokens).toBeGreaterThan(0);
    });

    alike("takes each vendor segment as its base, and a token in either place", async () => {
      const token = await helperToken(stack, stack.demo?.developer ?? { email: "", password: "" });
      for (const baseURL of [proxy, proxy.replace("/vendor", "/anthropic")]) {
        for (const credential of [{ apiKey: token }, { apiKey: null, authToken: token }]) {
          const page = await client({ baseURL, ...credential }).models.list();
          expect(page.data.length).toBeGreaterThan(0);
        }
      }
    });

    describe("has its own class for", () => {
      const failures: [string, number, string, keyof typeof Anthropic, () => Promise<unknown>][] = [
        [
          "a bad request",
          400,
          "invalid_request_error",
          "BadRequestError",
          () => client().messages.create({ ...question, messages: [] }),
        ],
        [
          "a wrong key",
          401,
          "authentication_error",
          "AuthenticationError",
          () => client({ apiKey: "ar_live_x" }).models.list(),
        ],
        [
          "a model that is not allowed",
          403,
          "permission_error",
          "PermissionDeniedError",
          async () => {
            const { key } = await aServiceAccount(stack, { allowed_models: ["claude-haiku-4-5"] });
            return client({ apiKey: key }).messages.create({ ...question, model: "other" });
          },
        ],
        [
          "a model that nobody has",
          404,
          "not_found_error",
          "NotFoundError",
          () => client().messages.create({ ...question, model: "other" }),
        ],
        ["a model that is not there", 404, "not_found_error", "NotFoundError", () => client().models.retrieve("other")],
        [
          "a body that is too large",
          413,
          "request_too_large",
          "APIError",
          () => client().messages.create({ ...question, system: "x".repeat(7_000_000) }),
        ],
        [
          "a failure of the model host",
          502,
          "api_error",
          "InternalServerError",
          () => {
            stack.bedrock.fail({ error: "ModelErrorException" });
            return client({ maxRetries: 0 }).messages.create(question);
          },
        ],
        [
          "an overloaded model host",
          503,
          "overloaded_error",
          "InternalServerError",
          () => {
            stack.bedrock.fail({ error: "ThrottlingException" });
            return client({ maxRetries: 0 }).messages.create(question);
          },
        ],
      ];

      test.each(failures)(
        "the Anthropic SDK has a class of its own for %s: %i",
        async (_name, status, type, errorClass, act) => {
          const error = await act().then(
            () => undefined,
            (thrown) => thrown,
          );
          expect(error).toBeInstanceOf(Sdk[errorClass]);
          expect(error).toMatchObject({
            status,
            error: { type: "error", error: { type, message: expect.any(String) } },
          });
          const { requestID, error: body } = error as InstanceType<typeof Anthropic.APIError>;
          expect(requestID).toBe((body as { request_id?: string }).request_id);
        },
      );

      test("the Anthropic SDK has a class for an error inside a stream", async () => {
        stack.bedrock.fail({ error: "serviceUnavailableException", after: 3 });
        const failing = client().messages.stream(question).finalMessage();
        await expect(failing).rejects.toBeInstanceOf(Sdk.APIError);
        stack.bedrock.fail({ error: "serviceUnavailableException", after: 3 });
        await expect(client().messages.stream(question).finalMessage()).rejects.toMatchObject({
          error: { error: { type: "overloaded_error" } },
        });
      });
    });

    describe("tries again", () => {
      alike("what is overloaded, after the seconds that it is told", async () => {
        stack.bedrock.fail({ error: "ThrottlingException", times: 2 });
        const attempts = new Attempts();
        await client({ fetch: attempts.fetch }).messages.create(question);
        expect([attempts.count, attempts.waits]).toEqual([3, ["5", "5"]]);
      });

      alike("nothing that may be billed: a connection that was reset is one attempt and one row", async () => {
        const since = stack.clock.now();
        const rows = async () => (await ledgerSince(stack, since)).length;
        const before = await rows();
        stack.bedrock.fail({ error: "break", times: 3 });
        const attempts = new Attempts();
        const call = client({ fetch: attempts.fetch }).messages.create({ ...question, max_tokens: 16_000 });
        await expect(call).rejects.toMatchObject({ status: 502 });
        await settled(stack);
        expect([attempts.count, (await rows()) - before]).toEqual([1, 1]);
      });

      alike("what is over the rate limit", async () => {
        const { key } = await aServiceAccount(stack, { rate_limit: { burst: 1, per_minute: 1 } });
        const attempts = new Attempts();
        const limited = client({ apiKey: key, fetch: attempts.fetch, maxRetries: 1 });
        await limited.messages.create(question);
        const refused = limited.messages.create(question);
        await expect(refused).rejects.toBeInstanceOf(Sdk.RateLimitError);
        await expect(refused).rejects.toMatchObject({ status: 429, error: { error: { type: "rate_limit_error" } } });
        expect([attempts.count, Number(attempts.waits[0]) > 50]).toEqual([3, true]);
      });

      alike("nothing once the budget is spent, however long it would wait", async () => {
        const { key } = await aServiceAccount(stack, { monthly_budget_usd: 0.000001 });
        const attempts = new Attempts();
        const poor = client({ apiKey: key, fetch: attempts.fetch });
        await poor.messages.create(question);
        await settled(stack);
        const refused = poor.messages.create(question);
        await expect(refused).rejects.toBeInstanceOf(Sdk.RateLimitError);
        await expect(refused).rejects.toMatchObject({ status: 429, error: { error: { type: "billing_error" } } });
        expect(attempts.count).toBe(2);
      });

      alike("no batch: it is told that there are none", async () => {
        const attempts = new Attempts();
        const batches = client({ fetch: attempts.fetch }).messages.batches.list();
        await expect(batches).rejects.toMatchObject({ status: 501 });
        expect(attempts.count).toBe(1);
      });
    });
  });
});

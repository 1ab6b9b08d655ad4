import { once } from "node:events";
import { get } from "node:http";
import { InvokeModelCommand } from "@aws-sdk/client-bedrock-runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { AwsRequest } from "../../aws/service.ts";
import { Bedrock } from "../../bedrock/bedrock.ts";
import type { Fault } from "../../bedrock/faults.ts";
import { Clock } from "../../clock.ts";
import { ModelHostServer, question, sonnet } from "../support/model-host-server.ts";

let server: ModelHostServer;
beforeAll(async () => {
  server = await ModelHostServer.start();
});
beforeEach(() => {
  server.host.clear();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const last = () => server.host.requests().at(-1);

/** Chunks until the stream ends or fails, and the failure. */
async function until(stream: AsyncGenerator<string, void>) {
  const chunks: string[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { chunks, error: undefined };
  } catch (error) {
    return { chunks, error: error as Error };
  }
}

describe("the SDK's calls", () => {
  test("InvokeModel answers a whole message and tells its usage in headers", async () => {
    const { message, headers } = await server.invoke(question("What is the capital of France?"));
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_bdrk_\w{24}$/),
      model: "claude-sonnet-4-5-20250929",
      content: [{ type: "text", text: expect.stringContaining("capital of France") }],
      stop_reason: "end_turn",
    });
    expect(message.usage.input_tokens).toBe(11);
    expect(headers).toMatchObject({
      "x-amzn-bedrock-input-token-count": "11",
      "x-amzn-bedrock-output-token-count": String(message.usage.output_tokens),
      "x-amzn-bedrock-invocation-latency": "0",
    });
  });

  test("InvokeModelWithResponseStream sends the same message as InvokeModel, as events", async () => {
    const { message } = await server.invoke(question("Hello"));
    const events = await server.events(question("Hello"));
    expect(events.map(({ delta }) => delta?.text ?? "").join("")).toBe(message.content[0].text);
    expect(events.at(0).message.usage).toEqual({ ...message.usage, output_tokens: 1 });
    expect(events.at(-1)["amazon-bedrock-invocationMetrics"]).toMatchObject({
      inputTokenCount: message.usage.input_tokens,
      outputTokenCount: message.usage.output_tokens,
    });
  });

  test("CountTokens returns the number of tokens that InvokeModel charges", async () => {
    const body = question("Hello", { system: "Be kind." });
    const { message } = await server.invoke(body);
    expect(await server.countTokens(body)).toBe(message.usage.input_tokens);
  });

  test("a streamed tool use arrives as JSON that matches the tool's schema", async () => {
    const input_schema = { type: "object", properties: { city: { enum: ["Paris"] } }, required: ["city"] };
    const tools = [{ name: "get_weather", input_schema }];
    const events = await server.events(question("Call get_weather", { tools, tool_choice: { type: "any" } }));
    const block = events.find(({ type }) => type === "content_block_start").content_block;
    expect(block).toMatchObject({
      type: "tool_use",
      id: expect.stringMatching(/^toolu_bdrk_\w{24}$/),
      name: "get_weather",
    });
    expect(events.map(({ delta }) => delta?.partial_json ?? "").join("")).toBe('{"city":"Paris"}');
  });

  test("the ARN of a profile is accepted as the model", async () => {
    const arn = `arn:aws:bedrock:eu-central-1:000000000000:inference-profile/${sonnet}`;
    expect((await server.invoke(question("Hi"), arn)).message.model).toBe("claude-sonnet-4-5-20250929");
  });

  test("ids in Bedrock's answers count up, and everything else is the same in each run", async () => {
    const one = await server.invoke(question("Hi"));
    const other = await server.invoke(question("Hi"));
    expect(other.message).toEqual({ ...one.message, id: other.message.id });
    expect(Number(other.message.id.slice(11)) - Number(one.message.id.slice(11))).toBe(1);
  });
});

describe("what is refused", () => {
  test("a refused call of Bedrock is the SDK's exception, with Bedrock's words and status", async () => {
    await expect(server.invoke(question("Hi", { stream: true }))).rejects.toMatchObject({
      name: "ValidationException",
      message: "stream: Extra inputs are not permitted",
      $metadata: { httpStatusCode: 400 },
    });
  });

  test.each([
    ["an unknown model", "eu.anthropic.claude-nothing", "The provided model identifier is invalid."],
    ["a model that only profiles serve", "anthropic.claude-sonnet-5", /on-demand throughput isn’t supported/],
  ])("a refused call of Bedrock is %s", async (_, modelId, message) => {
    const refusal = { name: "ValidationException", message: expect.stringMatching(message) };
    await expect(server.invoke(question("Hi"), modelId)).rejects.toMatchObject(refusal);
    await expect(until(server.chunks(question("Hi"), modelId))).resolves.toMatchObject({ error: refusal });
    expect(last()).toMatchObject({ outcome: "failed", error: "ValidationException" });
    expect(last()).not.toHaveProperty("usage");
  });

  test("a request to count tokens for a model without counting is refused", async () => {
    const refusal = { name: "ValidationException", message: "The provided model doesn't support counting tokens." };
    await expect(server.countTokens(question("Hi"), "eu.anthropic.claude-sonnet-5")).rejects.toMatchObject(refusal);
    expect(await server.countTokens(question("Hi"), sonnet.slice(3))).toBe(4);
  });

  test("a request to count tokens is refused if its body lacks max_tokens", async () => {
    const body = { anthropic_version: "bedrock-2023-05-31", messages: [{ role: "user", content: "Hi" }] };
    await expect(server.countTokens(body)).rejects.toMatchObject({ message: "max_tokens: Field required" });
  });
});

describe("the rights that a call needs", () => {
  const authorizations = (modelId: string) => {
    const path = `/model/${encodeURIComponent(modelId)}/invoke-with-response-stream`;
    const request = { method: "POST", path, region: "eu-central-1" } as AwsRequest;
    return server.host.authorizations(server.host.operation(request), request);
  };
  const action = "bedrock:InvokeModelWithResponseStream";

  test("a call of Bedrock by a profile needs rights on the profile, and on its model through the profile", () => {
    const profile = `arn:aws:bedrock:eu-central-1:000000000000:inference-profile/${sonnet}`;
    const rights = [
      { action, resource: profile },
      {
        action,
        resource: "arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0",
        context: { "bedrock:InferenceProfileArn": profile },
      },
    ];
    expect(authorizations(sonnet)).toEqual(rights);
    expect(authorizations(profile)).toEqual(rights);
  });

  test("a call of Bedrock by a global profile also needs the right on the model in no region", () => {
    const base = "anthropic.claude-sonnet-5";
    const profile = `arn:aws:bedrock:eu-central-1:000000000000:inference-profile/global.${base}`;
    const through = { "bedrock:InferenceProfileArn": profile };
    expect(authorizations(`global.${base}`)).toEqual([
      { action, resource: profile },
      { action, resource: `arn:aws:bedrock:eu-central-1::foundation-model/${base}`, context: through },
      {
        action,
        resource: `arn:aws:bedrock:::foundation-model/${base}`,
        context: { ...through, "aws:RequestedRegion": "unspecified" },
      },
    ]);
  });

  test("a call of Bedrock by a bare model id needs only the right on the model", () => {
    const resource = "arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-5";
    expect(authorizations("anthropic.claude-sonnet-5")).toEqual([{ action, resource }]);
  });
});

test("a prompt up to its cache breakpoint is written, then read, then forgotten", async () => {
  const system = [{ type: "text", text: "x".repeat(400), cache_control: { type: "ephemeral" } }];
  const usage = async () => (await server.events(question("Hi", { system })))[0].message.usage;
  const written = {
    input_tokens: 4,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
  };
  expect(await usage()).toMatchObject(written);
  expect(await usage()).toMatchObject({
    input_tokens: 4,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 100,
  });
  server.clock.advance(5 * 60_000 + 1);
  expect(await usage()).toMatchObject(written);
});

describe("requests", () => {
  test("Bedrock's recorded requests tell who called what and the exact chunks that were sent", async () => {
    const chunks = await until(server.chunks(question("Hi")));
    expect(server.host.requests()).toHaveLength(1);
    expect(last()).toMatchObject({
      operation: "InvokeModelWithResponseStream",
      modelId: sonnet,
      region: "eu-central-1",
      roleArn: "arn:aws:iam::000000000000:role/model-access",
      sessionTags: { tenant_id: "tenant-1" },
      body: question("Hi"),
      outcome: "complete",
      chunks: chunks.chunks,
      usage: { input_tokens: 4 },
    });
    expect(last()?.headers).not.toHaveProperty("authorization");
  });

  test("clearing Bedrock's emulation forgets recorded requests, settings, faults and the cache", async () => {
    const system = [{ type: "text", text: "x".repeat(400), cache_control: { type: "ephemeral" } }];
    await server.invoke(question("Hi", { system }));
    server.host.configure({ outputTokens: 3 });
    server.host.fail({ error: "ThrottlingException" });
    server.host.clear();
    const { message } = await server.invoke(question("Hi", { system }));
    expect(message.usage.output_tokens).toBeGreaterThan(3);
    expect(message.usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 100 });
    expect(server.host.requests()).toHaveLength(1);
  });
});

describe("settings", () => {
  test("Bedrock's settings change length and pace while the host runs", async () => {
    server.host.configure({ outputTokens: 20, tokensPerEvent: 5, firstByteMs: 10, millisecondsPerToken: 1 });
    const begin = performance.now();
    const events = await server.events(question("Hi"));
    expect(performance.now() - begin).toBeGreaterThanOrEqual(28);
    expect(events.filter(({ type }) => type === "content_block_delta")).toHaveLength(4);
    expect(events.at(-1)["amazon-bedrock-invocationMetrics"]).toMatchObject({
      outputTokenCount: 20,
      invocationLatency: 30,
      firstByteLatency: 10,
    });
  });

  test("Bedrock's settings also delay an answer in one piece", async () => {
    server.host.configure({ firstByteMs: 20 });
    const begin = performance.now();
    await server.invoke(question("Hi"));
    expect(performance.now() - begin).toBeGreaterThanOrEqual(18);
    expect(last()?.outcome).toBe("complete");
  });
});

describe("a caller who leaves", () => {
  test("when a caller of Bedrock leaves, the delays end and the whole generation is counted", async () => {
    server.host.configure({ outputTokens: 500, millisecondsPerToken: 1000 });
    const leaving = new AbortController();
    for await (const chunk of server.chunks(question("Hi"), sonnet, leaving.signal)) {
      if (JSON.parse(chunk).type === "content_block_start") break;
    }
    leaving.abort();
    await server.host.idle();
    expect(last()).toMatchObject({ outcome: "aborted", usage: { input_tokens: 4, output_tokens: 500 } });
    expect(last()?.chunks).toHaveLength(2);
  });

  test("a caller of Bedrock who leaves is noticed while a whole answer is generated", async () => {
    server.host.configure({ millisecondsPerToken: 1000 });
    const leaving = new AbortController();
    const command = new InvokeModelCommand({ modelId: sonnet, body: JSON.stringify(question("Hi")) });
    const sent = server.client.send(command, { abortSignal: leaving.signal });
    while (!last()?.usage) await new Promise(setImmediate);
    leaving.abort();
    await expect(sent).rejects.toMatchObject({ name: "AbortError" });
    await server.host.idle();
    expect(last()).toMatchObject({ outcome: "aborted", usage: { input_tokens: 4 }, chunks: [] });
  });

  test("a caller of Bedrock who leaves is cut off when the host closes", async () => {
    await using other = await ModelHostServer.start({ settings: { millisecondsPerToken: 1000 } });
    const stream = other.chunks(question("Hi"));
    await stream.next();
    other.host.close();
    expect((await until(stream)).error).toBeDefined();
    expect(other.host.requests()[0]?.outcome).toBe("aborted");
  });
});

describe("faults", () => {
  test.each<[Fault["error"], number]>([
    ["ThrottlingException", 429],
    ["ServiceUnavailableException", 503],
    ["AccessDeniedException", 403],
  ])("%s refuses one call of any kind", async (name, httpStatusCode) => {
    server.host.fail({ error: name });
    await expect(server.invoke(question("Hi"))).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
    await expect(server.invoke(question("Hi"))).resolves.toBeDefined();
  });

  test.each<[Fault["error"], string]>([
    ["modelStreamErrorException", "ModelStreamErrorException"],
    ["throttlingException", "ThrottlingException"],
    ["internalServerException", "InternalServerException"],
    ["modelTimeoutException", "ModelTimeoutException"],
    ["serviceUnavailableException", "ServiceUnavailableException"],
    ["validationException", "ValidationException"],
  ])("%s comes inside a stream, after its events", async (error, name) => {
    server.host.fail({ error, after: 3, message: "as asked" });
    const result = await until(server.chunks(question("Hi")));
    expect(result.chunks).toHaveLength(3);
    expect(result.error).toMatchObject({ name, message: "as asked" });
  });

  test("Bedrock's fault break cuts the connection after the events", async () => {
    server.host.fail({ error: "break", after: 3 });
    const result = await until(server.chunks(question("Hi")));
    expect(result.chunks).toEqual(last()?.chunks);
    expect(result.chunks).toHaveLength(3);
    expect(result.error).toBeDefined();
  });

  test("Bedrock's fault truncate ends the stream without message_stop", async () => {
    server.host.fail({ error: "truncate" });
    const result = await until(server.chunks(question("Hi")));
    expect(result.error).toBeUndefined();
    expect(JSON.parse(result.chunks.at(-1) ?? "").type).toBe("message_delta");
  });

  test("Bedrock's fault garbage is a chunk that is not JSON", async () => {
    server.host.fail({ error: "garbage", after: 1 });
    const { chunks } = await until(server.chunks(question("Hi")));
    expect(() => JSON.parse(chunks[1] ?? "")).toThrow();
    expect(JSON.parse(chunks.at(-1) ?? "").type).toBe("message_stop");
  });

  test("Bedrock's fault stall sends nothing more until the caller leaves", async () => {
    server.host.fail({ error: "stall", after: 2 });
    const leaving = new AbortController();
    const stream = server.chunks(question("Hi"), sonnet, leaving.signal);
    await stream.next();
    await stream.next();
    const third = stream.next();
    leaving.abort();
    await expect(third).rejects.toBeDefined();
    await server.host.idle();
    expect(last()).toMatchObject({ outcome: "aborted", error: "stall" });
  });

  test.each<Fault["error"]>(["break", "truncate", "garbage"])("%s spoils an answer in one piece", async (error) => {
    server.host.fail({ error });
    await expect(server.invoke(question("Hi"))).rejects.toBeDefined();
    expect(last()).toMatchObject({ error, usage: { input_tokens: 4 } });
  });
});

test("an error of Bedrock is JSON with its type in a header", async () => {
  const [response] = await once(get(`${server.url}/model/x/invoke`), "response");
  expect(response.statusCode).toBe(404);
  expect(response.headers["x-amzn-errortype"]).toMatch(/^UnknownOperationException:/);
  expect(JSON.parse(String(await response.toArray()))).toEqual({
    message: expect.stringContaining("GET /model/x/invoke"),
  });
});

test("clearing Bedrock's settings restores those given at the start", async () => {
  await using other = await ModelHostServer.start({ settings: { outputTokens: 7 } });
  other.host.configure({ outputTokens: 9 });
  other.host.clear();
  expect((await other.invoke(question("Hi"))).message.usage.output_tokens).toBe(7);
});

test("settings and faults that do not exist are refused", () => {
  expect(() => server.host.configure({ outputTokens: -1 })).toThrow("outputTokens");
  expect(() => server.host.fail({ error: "explosion" as "break" })).toThrow("error");
  expect(() => new Bedrock({ clock: new Clock(), settings: { outputTokens: 0 } })).toThrow("outputTokens");
});

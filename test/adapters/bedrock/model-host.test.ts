import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { bedrock } from "../../../adapters/bedrock/model-host.ts";
import {
  type CountingCall,
  type HostEvent,
  ModelHostError,
  modelHostRefusal,
  type WholeCall,
} from "../../../domain/messages/model-host.ts";
import { chunkFrame } from "../../../emulators/bedrock/frames.ts";
import { ModelHostServer, question, sonnet } from "../../../emulators/test/support/model-host-server.ts";
import { statusOf } from "../../../handlers/middleware/refusal-form.ts";

const session = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "session" };
const { anthropic_version: _, ...fields } = question("What is an arch?");
const body = JSON.stringify(fields);
const call = (changes: Partial<CountingCall & WholeCall> = {}): CountingCall & WholeCall => ({
  maxTokens: 1_000,
  endpoint: "runtime",
  identity: { tenantId: "t1", callerId: "dev" },
  region: "eu-central-1",
  modelId: sonnet,
  body,
  betas: [],
  headers: {},
  ...changes,
});
const never = new AbortController().signal;

async function textsOf(stream: AsyncIterable<readonly HostEvent[]>, texts: string[] = []): Promise<string[]> {
  for await (const events of stream) texts.push(...events.map(({ json }) => Buffer.from(json).toString()));
  return texts;
}

/** What a call fails with, after the events that came before. */
async function failureOf(act: () => Promise<unknown>): Promise<ModelHostError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ModelHostError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

describe.each([
  ["InvokeModel", false],
  ["the Messages endpoint", true],
])("at the model host, by %s", (_, isNative) => {
  let server: ModelHostServer;
  let host: ReturnType<typeof bedrock>;
  beforeAll(async () => {
    server = await ModelHostServer.start();
    host = bedrock({ credentials: async () => session, endpoint: server.url, isNative: () => isNative });
  });
  afterEach(() => server.host.clear());
  afterAll(() => server[Symbol.asyncDispose]());

  test("a stream's events are the host's chunks, byte for byte", async () => {
    const texts = await textsOf(await host.stream(call(), never));
    expect(texts).toEqual(server.host.requests()[0]?.chunks);
    expect(texts.at(-1)?.includes("amazon-bedrock-invocationMetrics")).toBe(!isNative);
  });

  test("a whole answer is the host's answer, byte for byte", async () => {
    const message = await host.invoke(call(), never, () => {});
    expect([message]).toEqual(server.host.requests()[0]?.chunks);
  });

  test("a count is requested with the client's version; the content type of the body is the proxy's own", async () => {
    const versions = { "anthropic-version": "2026-10-21", "anthropic-beta": "a, b" };
    const headers = { ...versions, "content-type": "text/plain" };
    expect(await host.countTokens(call({ headers }), never)).toBeGreaterThan(0);
    expect(server.host.requests()[0]?.headers).toMatchObject({ ...versions, "content-type": "application/json" });
  });

  test("a call with a name for the log of invocations sends the name in its request metadata, but to the Messages endpoint", async () => {
    await host.invoke(call({ loggedAs: "r-1" }), never, () => {});
    await host.invoke(call({}), never, () => {});
    const told = server.host.requests().map(({ headers }) => headers["x-amzn-bedrock-request-metadata"]);
    expect(told).toEqual([isNative ? undefined : '{"archway_request":"r-1"}', undefined]);
  });

  test("a call passes the client's headers on unchanged, but for flags that the host reads there", async () => {
    const headers = { "anthropic-version": "2026-10-21", "anthropic-beta": "a, b", "content-type": "application/json" };
    await host.invoke(call({ headers, betas: ["effort-2025-11-24"] }), never, () => {});
    const flags = isNative ? "effort-2025-11-24" : "a, b";
    expect(server.host.requests()[0]?.headers).toMatchObject({ ...headers, "anthropic-beta": flags });
  });

  test("each call is signed in its region with the caller's own session", async () => {
    const seen: unknown[] = [];
    const asked = bedrock({
      credentials: async (identity) => {
        seen.push(identity);
        return session;
      },
      endpoint: server.url,
    });
    await asked.invoke(call(), never, () => {});
    expect(seen).toEqual([{ tenantId: "t1", callerId: "dev" }]);
  });

  describe.each([
    ["ValidationException", "rejected", 400],
    ["AccessDeniedException", "denied", 502],
    ["ResourceNotFoundException", "denied", 502],
    ["ThrottlingException", "throttled", 503],
    ["ServiceQuotaExceededException", "throttled", 503],
    ["ModelNotReadyException", "unavailable", 503],
    ["ServiceUnavailableException", "unavailable", 503],
    ["ModelTimeoutException", "timeout", 503],
    ["ModelErrorException", "broken", 502],
    ["InternalServerException", "broken", 502],
  ] as const)("%s", (error, failure, status) => {
    test(`a failure at the model host is ${failure}, reported as ${status}, and costs nothing`, async () => {
      for (const act of [
        () => host.stream(call(), never),
        () => host.invoke(call(), never, () => {}),
        () => host.countTokens(call(), never),
      ]) {
        server.host.fail({ error });
        const failed = await failureOf(act);
        expect(failed).toMatchObject({ failure, outcomeUnknown: false });
        expect(statusOf(modelHostRefusal(failed).code)).toBe(status);
        expect(modelHostRefusal(failed).message).not.toMatch(/arn:|\d{12}/);
      }
    });
  });

  test.each([
    "This model version has reached the end of its life. Please refer to the AWS documentation for more details.",
    "Access denied. This Model is marked by provider as Legacy and you have not been actively using the model in the last 30 days. Please upgrade to an active model on Amazon Bedrock",
  ])("a model that the host has retired is distinguished from one that the account lacks: %s", async (message) => {
    for (const act of [() => host.stream(call(), never), () => host.countTokens(call(), never)]) {
      server.host.fail({ error: "ResourceNotFoundException", message });
      const failed = await failureOf(act);
      expect(failed).toMatchObject({ failure: "retired", outcomeUnknown: false });
      expect(statusOf(modelHostRefusal(failed).code)).toBe(404);
    }
  });

  test("the host's rejection is quoted, without the name of the account", async () => {
    const message = "prompt is too long for arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.x";
    server.host.fail({ error: "ValidationException", message });
    const failed = await failureOf(() => host.invoke(call(), never, () => {}));
    expect(modelHostRefusal(failed).message).toBe("prompt is too long for [resource]");
  });

  describe.each([
    ["validationException", "rejected"],
    ["modelTimeoutException", "timeout"],
    ["modelStreamErrorException", "broken"],
    ["throttlingException", "throttled"],
    ["internalServerException", "broken"],
    ["serviceUnavailableException", "unavailable"],
  ] as const)("%s inside a stream", (error, failure) => {
    test.each([0, 3])("a failure at the model host after %i events is reported after those events", async (after) => {
      server.host.fail({ error, after });
      const seen: string[] = [];
      const failed = await failureOf(async () => textsOf(await host.stream(call(), never), seen));
      expect(failed).toMatchObject({ failure, outcomeUnknown: false });
      expect(seen).toHaveLength(after);
    });
  });

  test.each([0, 3])(
    "a connection that breaks after %i events leaves the call with an unknown outcome",
    async (after) => {
      server.host.fail({ error: "break", after });
      const failed = await failureOf(async () => textsOf(await host.stream(call(), never)));
      expect(failed).toMatchObject({ failure: "broken", outcomeUnknown: true });
      server.host.fail({ error: "break" });
      expect(await failureOf(() => host.invoke(call(), never, () => {}))).toMatchObject({
        failure: "broken",
        outcomeUnknown: true,
      });
    },
  );

  test("a call whose signal is aborted has an unknown outcome, before its answer and during it", async () => {
    server.host.configure({ firstByteMs: 60_000 });
    const early = new AbortController();
    const waiting = failureOf(() => host.invoke(call(), early.signal, () => {}));
    while (server.host.requests().length === 0) await new Promise((resolve) => setImmediate(resolve));
    early.abort();
    expect(await waiting).toMatchObject({ failure: "timeout", outcomeUnknown: true });
    server.host.clear();

    server.host.fail({ error: "stall", after: 2 });
    const late = new AbortController();
    const failed = await failureOf(async () => {
      let events = 0;
      for await (const { length } of await host.stream(call(), late.signal)) {
        events += length;
        if (events === 2) late.abort();
      }
    });
    expect(failed).toMatchObject({ outcomeUnknown: true });
  });
});

test("a connection that breaks before TLS is established has carried no call", async () => {
  const server = net.createServer((socket) => socket.once("data", () => socket.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const host = bedrock({ credentials: async () => session, endpoint: `https://127.0.0.1:${port}` });
  expect(await failureOf(() => host.invoke(call(), never, () => {}))).toMatchObject({
    failure: "unavailable",
    outcomeUnknown: false,
  });
  server.close();
});

test("a call to a host where no server listens was never sent", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const host = bedrock({ credentials: async () => session, endpoint: `http://127.0.0.1:${port}` });
  expect(await failureOf(() => host.invoke(call(), never, () => {}))).toMatchObject({
    failure: "unavailable",
    outcomeUnknown: false,
  });
});

describe("a role that cannot be assumed", () => {
  test.each([
    ["AccessDenied", "denied"],
    ["ThrottlingException", "throttled"],
    ["TimeoutError", "unavailable"],
  ])(
    "a role that cannot be assumed because of %s is reported as %s, and the model host is not called",
    async (name, failure) => {
      const host = bedrock({
        credentials: async () => {
          throw Object.assign(new Error("sts"), { name });
        },
        endpoint: "http://127.0.0.1:1",
      });
      expect(await failureOf(() => host.stream(call(), never))).toMatchObject({ failure, outcomeUnknown: false });
    },
  );
});

describe("on the wire", () => {
  let answer: (outgoing: ServerResponse, incoming: IncomingMessage) => void;
  let host: ReturnType<typeof bedrock>;
  const server = createServer(async (incoming, outgoing) => {
    await buffer(incoming);
    answer(outgoing, incoming);
  });
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    host = bedrock({
      credentials: async () => session,
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
  });
  beforeEach(() => {
    answer = (outgoing) => outgoing.end();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const streaming = async () => textsOf(await host.stream(call(), never));

  test("frames of the model host can be cut anywhere, and can come together", async () => {
    const events = [
      '{"type":"message_start"}',
      '{\n "type": "ping"\r\n}',
      `{"type":"x","text":"${"é".repeat(9_000)}"}`,
    ];
    const bytes = Buffer.concat(events.map((json) => chunkFrame(json)));
    for (const size of [1, 7, 1_000, bytes.length]) {
      answer = (outgoing) => {
        outgoing.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
        for (let from = 0; from < bytes.length; from += size) outgoing.write(bytes.subarray(from, from + size));
        outgoing.end();
      };
      expect(await streaming()).toEqual(events);
    }
  });

  test("a stream that ends inside a frame, or is damaged, leaves an unknown outcome", async () => {
    const frame = chunkFrame('{"type":"message_start"}');
    const damaged = Buffer.from(frame);
    damaged.writeUInt8(damaged.readUInt8(30) ^ 1, 30);
    for (const bytes of [
      frame.subarray(0, 20),
      frame.subarray(0, 3),
      damaged,
      Buffer.alloc(16),
      Buffer.from("x".repeat(40)),
    ]) {
      answer = (outgoing) => outgoing.end(bytes);
      expect(await failureOf(streaming)).toMatchObject({ failure: "broken", outcomeUnknown: true });
    }
  });

  test("a damaged frame is noticed anywhere in a stream", async () => {
    const frame = chunkFrame('{"type":"ping"}');
    for (const at of [2, 9, 40, frame.length - 6, frame.length - 1]) {
      const damaged = Buffer.from(frame);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      answer = (outgoing) => outgoing.end(Buffer.concat([frame, frame, damaged, frame]));
      expect(await failureOf(streaming)).toMatchObject({ failure: "broken", outcomeUnknown: true });
    }
  });

  test("an event that is not JSON is not quoted in the error", async () => {
    const codec = new EventStreamCodec(String, (text) => Buffer.from(text));
    const headers = { ":message-type": { type: "string", value: "event" } } as const;
    answer = (outgoing) => outgoing.end(codec.encode({ headers, body: Buffer.from("secret") }));
    const failed = await failureOf(streaming);
    expect(failed).toMatchObject({ failure: "broken", outcomeUnknown: true });
    expect(failed.message).not.toContain("secret");
  });

  test("a refusal is recognized by its name, whatever its status; without a name by its status", async () => {
    const refusing = (status: number, headers: Record<string, string>, text: string) => {
      answer = (outgoing) => outgoing.writeHead(status, headers).end(text);
      return failureOf(() => host.invoke(call(), never, () => {}));
    };
    const named = { "x-amzn-errortype": "ThrottlingException:http://internal.amazon.com/x" };
    expect(await refusing(400, named, '{"message":"slow"}')).toMatchObject({ failure: "throttled", message: "slow" });
    expect(await refusing(429, {}, "")).toMatchObject({ failure: "throttled", outcomeUnknown: false });
    expect(await refusing(503, {}, "<html>")).toMatchObject({ failure: "unavailable", outcomeUnknown: false });
    expect(await refusing(500, {}, "<html>")).toMatchObject({ failure: "broken", outcomeUnknown: false });
    // The words of what we do not know may be the prompt's.
    const quoting = await refusing(403, { "x-amzn-errortype": "ModelErrorException" }, '{"message":"my prompt"}');
    expect(quoting).toMatchObject({ failure: "broken", message: "The model host failed" });
    expect(String(quoting.cause)).toContain("ModelErrorException");
  });

  test("a refusal whose message is cut off is still a refusal", async () => {
    answer = (outgoing) => {
      outgoing.writeHead(429, { "x-amzn-errortype": "ThrottlingException", "content-length": "1000" });
      outgoing.write("{");
      setImmediate(() => outgoing.destroy());
    };
    expect(await failureOf(() => host.invoke(call(), never, () => {}))).toMatchObject({
      failure: "throttled",
      outcomeUnknown: false,
    });
  });

  test("a call to the model host is sent only once, however it ends", async () => {
    let calls = 0;
    answer = (outgoing) => {
      calls += 1;
      outgoing.destroy();
    };
    expect(await failureOf(streaming)).toMatchObject({ outcomeUnknown: true });
    expect(await failureOf(() => host.invoke(call(), never, () => {}))).toMatchObject({ outcomeUnknown: true });
    expect(calls).toBe(2);
  });

  test("a count that is not a number makes the call fail", async () => {
    for (const text of ['{"inputTokens":"5"}', "{}", "not JSON"]) {
      answer = (outgoing) => outgoing.end(text);
      await expect(host.countTokens(call(), never)).rejects.toThrow();
    }
  });

  test("a model's id is escaped in the path", async () => {
    const paths: (string | undefined)[] = [];
    answer = (outgoing, { url }) => {
      paths.push(url);
      outgoing.end('{"inputTokens":5}');
    };
    await host.invoke(call({ modelId: "a:b/c?d" }), never, () => {});
    await host.countTokens(call({ modelId: "a:b" }), never);
    expect(paths).toEqual(["/model/a%3Ab%2Fc%3Fd/invoke", "/model/a%3Ab/count-tokens"]);
  });
});

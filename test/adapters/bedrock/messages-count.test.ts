import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { countMessages } from "../../../adapters/bedrock/messages-count.ts";
import { ModelHostError } from "../../../domain/messages/model-host.ts";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "session" };
const messages = [{ role: "user", content: "hi" }];
const call = (
  body: object = {},
  { headers = {}, betas = [] }: { headers?: Record<string, string>; betas?: string[] } = {},
) => ({
  identity: { tenantId: "t1", callerId: "dev" },
  region: "eu-west-1",
  modelId: "anthropic.claude-opus-5",
  body: JSON.stringify({ max_tokens: 1, messages, ...body }),
  betas,
  headers,
});

type Received = { incoming: IncomingMessage; body: string };

let received: Received[];
let answer: (outgoing: ServerResponse) => void;
let endpoint: string;
const server = createServer(async (incoming, outgoing) => {
  received.push({ incoming, body: (await buffer(incoming)).toString() });
  answer(outgoing);
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
  answer = (outgoing) => outgoing.end('{"input_tokens":5}');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const count = (asked = call(), signal = new AbortController().signal) =>
  countMessages(asked, { credentials, endpoint, signal });
const sent = () => JSON.parse(received[0]?.body ?? "");
const headers = () => received[0]?.incoming.headers ?? {};

async function failureOf(counted: Promise<number>): Promise<ModelHostError> {
  const error = await counted.then(
    () => undefined,
    (error) => error,
  );
  expect(error).toBeInstanceOf(ModelHostError);
  return error;
}

describe("a count", () => {
  test("a count is requested from the Messages endpoint, signed for that service with the caller's session", async () => {
    expect(await count()).toBe(5);
    expect(received[0]?.incoming).toMatchObject({ method: "POST", url: "/anthropic/v1/messages/count_tokens" });
    expect(headers()["x-amz-security-token"]).toBe("session");
    expect(headers().authorization).toMatch(/Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock-mantle\/aws4_request/);
  });

  test("a count's body has the model and the counted parts, and no settings for the answer", async () => {
    const counted = { system: "s", tools: [], thinking: { type: "adaptive" }, output_config: { effort: "low" } };
    await count(call({ ...counted, temperature: 1, stop_sequences: ["x"], metadata: { user_id: "u" } }));
    expect(sent()).toEqual({ model: "anthropic.claude-opus-5", messages, ...counted });
  });

  test("a count's body keeps each number as the client wrote it", async () => {
    await count({ ...call(), body: '{"messages":[{"role":"user","content":[{"input":{"n":12345678901234567890}}]}]}' });
    expect(received[0]?.body).toContain("12345678901234567890");
  });

  test("a count names the client's API version, or a default, and the flags of the request", async () => {
    await count();
    expect(headers()).toMatchObject({ "anthropic-version": "2023-06-01", "content-type": "application/json" });
    expect(headers()["anthropic-beta"]).toBeUndefined();
    received = [];
    const headersOfClient = {
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "a,b",
      "content-type": "text/plain",
    };
    await count(call({}, { headers: headersOfClient, betas: ["b", "c"] }));
    expect(headers()).toMatchObject({
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "b,c",
      "content-type": "application/json",
    });
  });
});

describe("a refusal is known by its type, and asked once", () => {
  test.each([
    ["invalid_request_error", 400, "rejected"],
    ["request_too_large", 413, "rejected"],
    ["authentication_error", 401, "denied"],
    ["permission_error", 403, "denied"],
    ["not_found_error", 404, "denied"],
    ["rate_limit_error", 429, "throttled"],
    ["overloaded_error", 529, "unavailable"],
    ["timeout_error", 504, "timeout"],
    ["api_error", 500, "broken"],
  ])("a count's refusal is recognized by its type, and not requested again: %s", async (type, status, failure) => {
    const message = "arn:aws:bedrock-mantle:eu-west-1:123456789012:project/default says no";
    answer = (outgoing) => outgoing.writeHead(status).end(JSON.stringify({ type: "error", error: { type, message } }));
    const failed = await failureOf(count());
    expect(failed).toMatchObject({ failure, outcomeUnknown: false });
    expect(failed.message).not.toContain("123456789012");
    expect(received).toHaveLength(1);
  });

  test.each([
    [503, "<html>", "unavailable"],
    [429, '{"message":"slow"}', "throttled"],
    [418, "null", "broken"],
  ])("a refusal of a count is recognized by its status: %i %s", async (status, text, failure) => {
    answer = (outgoing) => outgoing.writeHead(status).end(text);
    expect(await failureOf(count())).toMatchObject({ failure });
  });
});

describe("no count is", () => {
  test.each(["{}", '{"input_tokens":"5"}', "secret"])(
    "a count fails for the answer %s, which is not quoted in the error",
    async (text) => {
      answer = (outgoing) => outgoing.end(text);
      const { failure, message } = await failureOf(count());
      expect([failure, message.includes("secret")]).toEqual(["broken", false]);
    },
  );

  test("a count whose connection breaks is sent once", async () => {
    answer = (outgoing) => outgoing.destroy();
    expect(await failureOf(count())).toMatchObject({ failure: "broken" });
    expect(received).toHaveLength(1);
  });

  test("a count at the Messages endpoint whose signal is aborted is reported as late", async () => {
    const leave = new AbortController();
    answer = () => leave.abort();
    expect(await failureOf(count(call(), leave.signal))).toMatchObject({ failure: "timeout" });
  });
});

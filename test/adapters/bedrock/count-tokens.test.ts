import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { countTokens } from "../../../adapters/bedrock/count-tokens.ts";
import { invokeBody } from "../../../adapters/bedrock/invoke-body.ts";
import { ModelHostError } from "../../../domain/messages/model-host.ts";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "session" };
const call = {
  endpoint: "runtime" as const,
  identity: { tenantId: "t1", callerId: "dev" },
  region: "eu-west-1",
  modelId: "anthropic.claude-sonnet-4-6",
  body: '{"messages":[]}',
  betas: [],
  headers: { "anthropic-version": "2026-10-21", "content-type": "text/plain" },
};

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
  answer = (outgoing) => outgoing.end('{"inputTokens":5}');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const count = (signal = new AbortController().signal, address = endpoint) =>
  countTokens(call, { credentials, endpoint: address, signal });

async function failureOf(counted: Promise<number>): Promise<ModelHostError> {
  const error = await counted.then(
    () => undefined,
    (error) => error,
  );
  expect(error).toBeInstanceOf(ModelHostError);
  return error;
}

test("a count of tokens is signed in its region with the caller's session, together with the client's headers", async () => {
  expect(await count()).toBe(5);
  const [{ incoming, body } = {} as Received] = received;
  expect(JSON.parse(body)).toEqual({
    input: { invokeModel: { body: invokeBody(call).toString("base64") } },
  });
  expect(incoming.headers).toMatchObject({
    "anthropic-version": "2026-10-21",
    "content-type": "application/json",
    "x-amz-security-token": "session",
  });
  const { authorization } = incoming.headers;
  expect(authorization).toMatch(/Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request/);
  expect(authorization).toMatch(/SignedHeaders=[^,]*anthropic-version/);
});

test("counting requests share a connection over HTTP/1.1, because a frozen function keeps no HTTP/2 session alive", async () => {
  for (let calls = 0; calls < 5; calls++) await count();
  expect(new Set(received.map(({ incoming }) => incoming.httpVersion))).toEqual(new Set(["1.1"]));
  // A connection is free a moment after its answer.
  expect(new Set(received.map(({ incoming }) => incoming.socket)).size).toBeLessThanOrEqual(2);
});

test.each([
  ["a refusal, by its name", 400, { "x-amzn-errortype": "ThrottlingException" }, '{"message":"slow"}', "throttled"],
  ["a refusal without a name, by its status", 503, {}, "{}", "unavailable"],
  ["words of something in front of the host, by their status", 503, {}, "<html>", "unavailable"],
])(
  "a count of tokens ends with %s and is requested once",
  async (_, status, headers: Record<string, string>, text, failure) => {
    answer = (outgoing) => outgoing.writeHead(status, headers).end(text);
    expect(await failureOf(count())).toMatchObject({ failure, outcomeUnknown: false });
    expect(received).toHaveLength(1);
  },
);

test("a count's answer that is not JSON is not quoted in the error", async () => {
  answer = (outgoing) => outgoing.end("secret");
  const { failure, message } = await failureOf(count());
  expect([failure, message]).toEqual(["broken", "The model host sent what is not JSON"]);
});

test("a count whose connection breaks is sent once", async () => {
  answer = (outgoing) => outgoing.destroy();
  expect(await failureOf(count())).toMatchObject({ failure: "broken" });
  expect(received).toHaveLength(1);
});

test("a count whose signal is aborted is reported as late", async () => {
  const leave = new AbortController();
  answer = () => leave.abort();
  expect(await failureOf(count(leave.signal))).toMatchObject({ failure: "timeout" });
});

test("a count at a host where no server listens was never sent", async () => {
  const nobody = createServer().listen(0, "127.0.0.1");
  await once(nobody, "listening");
  const { port } = nobody.address() as AddressInfo;
  nobody.close();
  await once(nobody, "close");
  const failed = await failureOf(count(undefined, `http://127.0.0.1:${port}`));
  expect(failed).toMatchObject({ failure: "unavailable", outcomeUnknown: false });
});

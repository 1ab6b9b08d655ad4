import { beforeEach, describe, expect, test } from "@jest/globals";
import { AwsError, type AwsRequest } from "../../aws/service.ts";
import { Bedrock } from "../../bedrock/bedrock.ts";
import { MessagesEndpoint } from "../../bedrock/messages-endpoint.ts";
import { Clock } from "../../clock.ts";
import { principal } from "../support/model-host-server.ts";

let host: Bedrock;
let endpoint: MessagesEndpoint;
beforeEach(() => {
  host = new Bedrock({ clock: new Clock() });
  endpoint = new MessagesEndpoint(host);
});

const counted = { model: "anthropic.claude-opus-5", messages: [{ role: "user", content: "Hello" }] };

function request(body: object = counted, changes: Partial<AwsRequest> = {}): AwsRequest {
  return {
    method: "POST",
    path: "/anthropic/v1/messages/count_tokens",
    query: new URLSearchParams(),
    headers: { "anthropic-version": "2023-06-01" },
    body: Buffer.from(JSON.stringify(body)),
    region: "eu-west-1",
    principal,
    ...changes,
  };
}

/** As the AWS endpoint serves it, IAM apart. */
async function answerTo(asked: AwsRequest) {
  try {
    const { status, body } = await endpoint.handle(endpoint.operation(asked), asked);
    return { status, body: JSON.parse(String(body)) };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const { status, body } = endpoint.failure(error);
    return { status, body: JSON.parse(String(body)) };
  }
}

test("a count at the Messages endpoint equals the host's own count, and is recorded", async () => {
  expect(await answerTo(request())).toEqual({ status: 200, body: { input_tokens: 5 } });
  expect(host.requests()).toEqual([
    expect.objectContaining({ operation: "CountTokens", region: "eu-west-1", outcome: "complete", body: counted }),
  ]);
});

test("a count at the Messages endpoint needs its own right: on the account's default project, for the model", () => {
  const caller = { ...principal, roleArn: "arn:aws:iam::111111111111:role/model-host" };
  expect(endpoint.authorizations("CountTokens", request(counted, { principal: caller }))).toEqual([
    {
      action: "bedrock-mantle:CountTokens",
      resource: "arn:aws:bedrock-mantle:eu-west-1:111111111111:project/default",
      context: { "bedrock-mantle:Model": "anthropic.claude-opus-5" },
    },
  ]);
  expect(endpoint.authorizations("CountTokens", request({}))[0]?.context).toBeUndefined();
});

describe("there is no", () => {
  test.each([
    ["endpoint in this region", request(counted, { region: "eu-central-2" })],
    ["Claude in this region", request(counted, { region: "eu-central-1" })],
    ["such model", request({ ...counted, model: "anthropic.claude-9" })],
    ["inference profile", request({ ...counted, model: "eu.anthropic.claude-opus-5" })],
    ["model with a version in its id", request({ ...counted, model: "anthropic.claude-haiku-4-5-20251001-v1:0" })],
    ["other path", request(counted, { path: "/anthropic/v1/messages" })],
    ["other method", request(counted, { method: "GET" })],
  ])("%s", async (_, asked) => {
    expect(await answerTo(asked)).toMatchObject({ status: 404, body: { error: { type: "not_found_error" } } });
  });
});

describe("is refused by name", () => {
  test.each([
    ["max_tokens", { max_tokens: 5 }, {}, "max_tokens: Extra inputs are not permitted"],
    ["InvokeModel's version", { anthropic_version: "x" }, {}, "anthropic_version: Extra inputs are not permitted"],
    ["no message", { messages: [] }, {}, "messages: at least one message is required"],
    ["an unknown flag", {}, { "anthropic-beta": "compact-2026-01-12, x" }, "invalid beta flag"],
    ["no version", {}, { "anthropic-version": undefined }, "anthropic-version: header is required"],
  ])("%s", async (_, changes, headers, message) => {
    const asked = request({ ...counted, ...changes });
    Object.assign(asked.headers, headers);
    expect(await answerTo(asked)).toEqual({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message } },
    });
  });
});

test("Haiku 4.5 has a shorter name at the Messages endpoint, and there a thinking budget needs no max_tokens", async () => {
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  const { status } = await answerTo(request({ ...counted, model: "anthropic.claude-haiku-4-5", thinking }));
  expect(status).toBe(200);
});

test.each([
  ["ThrottlingException", 429, "rate_limit_error"],
  ["InternalServerException", 500, "api_error"],
  ["ServiceUnavailableException", 503, "overloaded_error"],
] as const)("the fault %s is %i %s", async (error, status, type) => {
  host.fail({ error });
  expect(await answerTo(request())).toMatchObject({ status, body: { error: { type } } });
});

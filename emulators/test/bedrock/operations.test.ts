import { describe, expect, test } from "@jest/globals";
import { route } from "../../bedrock/operations.ts";

const nothing = { body: Buffer.alloc(0) };

test.each([
  ["invoke", "InvokeModel"],
  ["invoke-with-response-stream", "InvokeModelWithResponseStream"],
  ["count-tokens", "CountTokens"],
])("POST /model/{id}/%s is the operation %s, and the id is decoded", (verb, operation) => {
  const path = `/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/${verb}`;
  expect(route({ ...nothing, method: "POST", path })).toEqual({
    operation,
    modelId: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
  });
});

test("the ARN of a profile is one segment of the path", () => {
  const arn = "arn:aws:bedrock:eu-central-1:000000000000:inference-profile/eu.anthropic.claude-sonnet-5";
  expect(route({ ...nothing, method: "POST", path: `/model/${encodeURIComponent(arn)}/invoke` }).modelId).toBe(arn);
});

test.each([
  ["GET", "/model/x/invoke"],
  ["POST", "/model/x/converse"],
  ["POST", "/model/x/constructor"],
  ["POST", "/model/x/y/invoke"],
  ["POST", "/"],
])("%s %s is not an operation of the model host", (method, path) => {
  const unknown = expect.objectContaining({ code: "UnknownOperationException", status: 404 });
  expect(() => route({ ...nothing, method, path })).toThrow(unknown);
});

test("an id that is not encoded properly is invalid", () => {
  expect(() => route({ ...nothing, method: "POST", path: "/model/%E0%A4%A/invoke" })).toThrow(
    "model identifier is invalid",
  );
});

describe("the Messages endpoint", () => {
  const path = "/anthropic/v1/messages";
  const asked = (body: object) => route({ method: "POST", path, body: Buffer.from(JSON.stringify(body)) });

  test("the Messages endpoint reads model and operation in the body", () => {
    expect(asked({ model: "eu.m", stream: true })).toEqual({
      ...{ operation: "InvokeModelWithResponseStream", modelId: "eu.m", isNative: true },
    });
    expect(asked({ model: 7 })).toEqual({ operation: "InvokeModel", modelId: "", isNative: true });
  });

  test.each([
    ["POST", `${path}/count_tokens`],
    ["GET", "/anthropic/v1/models"],
  ])("the Messages endpoint lacks %s %s, and says so at status 200", (method, path) => {
    const unknown = expect.objectContaining({ code: "UnknownOperationException", status: 200 });
    expect(() => route({ ...nothing, method, path })).toThrow(unknown);
  });
});

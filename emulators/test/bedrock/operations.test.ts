import { expect, test } from "@jest/globals";
import { route } from "../../bedrock/operations.ts";

test.each([
  ["invoke", "InvokeModel"],
  ["invoke-with-response-stream", "InvokeModelWithResponseStream"],
  ["count-tokens", "CountTokens"],
])("POST /model/{id}/%s is %s, and the id is decoded", (verb, operation) => {
  const path = `/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/${verb}`;
  expect(route({ method: "POST", path })).toEqual({
    operation,
    modelId: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
  });
});

test("a profile's ARN is one segment of the path", () => {
  const arn = "arn:aws:bedrock:eu-central-1:000000000000:inference-profile/eu.anthropic.claude-sonnet-5";
  expect(route({ method: "POST", path: `/model/${encodeURIComponent(arn)}/invoke` }).modelId).toBe(arn);
});

test.each([
  ["GET", "/model/x/invoke"],
  ["POST", "/model/x/converse"],
  ["POST", "/model/x/constructor"],
  ["POST", "/model/x/y/invoke"],
  ["POST", "/"],
])("%s %s is an operation that the host does not have", (method, path) => {
  const unknown = expect.objectContaining({ code: "UnknownOperationException", status: 404 });
  expect(() => route({ method, path })).toThrow(unknown);
});

test("an id that is not encoded properly is invalid", () => {
  expect(() => route({ method: "POST", path: "/model/%E0%A4%A/invoke" })).toThrow("model identifier is invalid");
});

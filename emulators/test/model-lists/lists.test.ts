import { expect, test } from "@jest/globals";
import type { AwsRequest } from "../../aws/service.ts";
import { knownModels } from "../../bedrock/models.ts";
import { displayName, type ListOperation, listAnswer, listOperation } from "../../model-lists/lists.ts";

const ask = (operation: ListOperation, path: string, region: string, query = "") => {
  const request = { method: "GET", path, region, query: new URLSearchParams(query) } as AwsRequest;
  expect(listOperation(request)).toBe(operation);
  return JSON.parse(String(listAnswer(operation, knownModels, request).body));
};

test("a region lists its models with their names, and their ends", () => {
  const { modelSummaries } = ask("ListFoundationModels", "/foundation-models", "eu-central-1", "byProvider=anthropic");
  expect(modelSummaries).toContainEqual(
    expect.objectContaining({
      modelId: "anthropic.claude-fable-5-2",
      modelName: "Claude Fable 5.2",
      modelLifecycle: { status: "ACTIVE" },
    }),
  );
  expect(ask("ListFoundationModels", "/foundation-models", "eu-central-1", "byProvider=meta").modelSummaries).toEqual(
    [],
  );
});

test("a region lists the profiles that can be called there", () => {
  const ids = (region: string) =>
    ask("ListInferenceProfiles", "/inference-profiles", region).inferenceProfileSummaries.map(
      ({ inferenceProfileId }: { inferenceProfileId: string }) => inferenceProfileId,
    );
  expect(ids("eu-central-1")).toEqual(
    expect.arrayContaining(["eu.anthropic.claude-opus-5", "global.anthropic.claude-opus-5"]),
  );
  expect(ids("eu-central-1")).not.toContain("us.anthropic.claude-opus-5");
  expect(ids("us-east-1")).toContain("us.anthropic.claude-opus-5");
});

test.each([
  ["anthropic.claude-opus-5", "AVAILABLE"],
  ["anthropic.claude-opus-99", "NOT_AVAILABLE"],
])("the account's access to %s is %s", (id, availability) => {
  const answer = ask("GetFoundationModelAvailability", `/foundation-model-availability/${id}`, "eu-central-1");
  expect([answer.entitlementAvailability, answer.authorizationStatus]).toEqual([availability, "AUTHORIZED"]);
});

test("a request of another kind is no list", () => {
  expect(listOperation({ method: "POST", path: "/foundation-models" })).toBeUndefined();
  expect(listOperation({ method: "GET", path: "/model/x/invoke" })).toBeUndefined();
});

test.each([
  ["anthropic.claude-opus-4-6-v1", "Claude Opus 4.6"],
  ["anthropic.claude-haiku-4-5-20251001-v1:0", "Claude Haiku 4.5"],
])("people call %s %s", (id, name) => {
  expect(displayName(id)).toBe(name);
});

import { describe, expect, test } from "@jest/globals";
import { findModel, knownModels, modelReference, publicName, requireThroughput } from "../../bedrock/models.ts";

const region = "eu-central-1";
const invalid = "The provided model identifier is invalid.";
const find = (sent: string, from = region) => findModel(knownModels, modelReference(sent, from), from);

describe("a model id", () => {
  test("a model id without a prefix names the foundation model", () => {
    expect(modelReference("anthropic.claude-sonnet-5", region)).toEqual({
      sent: "anthropic.claude-sonnet-5",
      base: "anthropic.claude-sonnet-5",
    });
  });

  test("a model id with a geography's prefix names an inference profile of the account", () => {
    expect(modelReference("eu.anthropic.claude-sonnet-5", region)).toEqual({
      sent: "eu.anthropic.claude-sonnet-5",
      base: "anthropic.claude-sonnet-5",
      profile: {
        id: "eu.anthropic.claude-sonnet-5",
        arn: "arn:aws:bedrock:eu-central-1:000000000000:inference-profile/eu.anthropic.claude-sonnet-5",
        geography: "eu",
      },
    });
  });

  test("a model id can be the ARN of a foundation model or of an inference profile", () => {
    const profile = "arn:aws:bedrock:eu-central-1:000000000000:inference-profile/global.anthropic.claude-sonnet-5";
    expect(modelReference(profile, region)).toMatchObject({
      base: "anthropic.claude-sonnet-5",
      profile: { id: "global.anthropic.claude-sonnet-5", arn: profile, geography: "global" },
    });
    const model = "arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-5";
    expect(modelReference(model, region)).toEqual({ sent: model, base: "anthropic.claude-sonnet-5" });
  });
});

describe("a model is found", () => {
  test("a model is found through a profile of the caller's geography or the global one", () => {
    expect(find("eu.anthropic.claude-sonnet-5").id).toBe("anthropic.claude-sonnet-5");
    expect(find("global.anthropic.claude-sonnet-5").id).toBe("anthropic.claude-sonnet-5");
  });

  test.each([
    ["a model that does not exist", "eu.anthropic.claude-nothing-1", region],
    ["a profile of another geography", "us.anthropic.claude-sonnet-5", region],
    ["a profile that the model does not have", "eu.anthropic.claude-fable-5-1", region],
    [
      "an ARN of another region",
      "arn:aws:bedrock:us-east-1:000000000000:inference-profile/global.anthropic.claude-sonnet-5",
      region,
    ],
    [
      "a profile made by the account",
      "arn:aws:bedrock:eu-central-1:000000000000:application-inference-profile/abc",
      region,
    ],
    ["a name out of the language", "constructor.x", region],
  ])("a model is not found %s", (_, sent, from) => {
    expect(() => find(sent, from)).toThrow(invalid);
  });
});

test("a bare model id can be invoked only in regions where the model is offered", () => {
  const invoke = (sent: string, from: string) => {
    const reference = modelReference(sent, from);
    requireThroughput(findModel(knownModels, reference, from), reference, from);
  };
  expect(() => invoke("anthropic.claude-sonnet-5", "us-east-1")).not.toThrow();
  expect(() => invoke("anthropic.claude-sonnet-5", region)).toThrow(
    "Invocation of model ID anthropic.claude-sonnet-5 with on-demand throughput isn’t supported. " +
      "Retry your request with the ID or ARN of an inference profile that contains this model.",
  );
  expect(() => invoke("eu.anthropic.claude-sonnet-5", region)).not.toThrow();
});

test.each([
  ["anthropic.claude-sonnet-5", "claude-sonnet-5"],
  ["anthropic.claude-opus-4-6-v1", "claude-opus-4-6"],
  ["anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"],
])("the public name of %s is %s", (base, name) => {
  expect(publicName(base)).toBe(name);
});

import { beforeEach, describe, expect, test } from "@jest/globals";
import { type Fault, Faults } from "../../bedrock/faults.ts";
import { modelReference } from "../../bedrock/models.ts";

const frankfurt = "eu-central-1";
const sonnet = modelReference("eu.anthropic.claude-sonnet-5", frankfurt);
const haiku = modelReference("global.anthropic.claude-haiku-5-5", frankfurt);

let faults: Faults;
beforeEach(() => {
  faults = new Faults();
});

test.each<[Fault["error"], number]>([
  ["ValidationException", 400],
  ["AccessDeniedException", 403],
  ["ResourceNotFoundException", 404],
  ["ModelTimeoutException", 408],
  ["ModelErrorException", 424],
  ["ThrottlingException", 429],
  ["ModelNotReadyException", 429],
  ["ServiceQuotaExceededException", 400],
  ["ServiceUnavailableException", 503],
  ["InternalServerException", 500],
])("%s has status %i", (error, status) => {
  faults.add({ error });
  expect(faults.take("InvokeModel", sonnet, frankfurt)).toMatchObject({ code: error, status });
});

test("the message of a fault can be configured", () => {
  faults.add({ error: "ThrottlingException", message: "slow down" });
  expect(faults.take("InvokeModel", sonnet, frankfurt)).toMatchObject({ status: 429, message: "slow down" });
});

describe("a fault meets", () => {
  test("a fault of Bedrock affects one call by default", () => {
    faults.add({ error: "break" });
    faults.add({ error: "stall", times: 2 });
    const taken = [1, 2, 3, 4].map(() => faults.take("InvokeModel", sonnet, frankfurt));
    expect(taken.map((fault) => fault && "error" in fault && fault.error)).toEqual([
      "break",
      "stall",
      "stall",
      undefined,
    ]);
  });

  test("a fault of Bedrock affects every call if configured so", () => {
    faults.add({ error: "break", times: Number.POSITIVE_INFINITY });
    for (let call = 0; call < 100; call += 1) expect(faults.take("InvokeModel", sonnet, frankfurt)).toBeDefined();
    faults.clear();
    expect(faults.take("InvokeModel", sonnet, frankfurt)).toBeUndefined();
  });

  test("a fault of Bedrock affects only streams if it is an exception inside a stream", () => {
    faults.add({ error: "throttlingException", after: 3 });
    expect(faults.take("InvokeModel", sonnet, frankfurt)).toBeUndefined();
    expect(faults.take("InvokeModelWithResponseStream", sonnet, frankfurt)).toMatchObject({
      error: "throttlingException",
      after: 3,
    });
  });

  test.each([sonnet.sent, sonnet.base])("a fault of Bedrock affects only calls of its model, named by %s", (model) => {
    faults.add({ error: "break", model });
    expect(faults.take("InvokeModel", haiku, frankfurt)).toBeUndefined();
    expect(faults.take("InvokeModel", sonnet, frankfurt)).toBeDefined();
  });

  test("a fault of Bedrock affects only calls in its region", () => {
    faults.add({ error: "ThrottlingException", region: "eu-central-2" });
    expect(faults.take("InvokeModel", sonnet, frankfurt)).toBeUndefined();
    expect(faults.take("InvokeModel", sonnet, "eu-central-2")).toBeDefined();
  });
});

test.each<[string, object]>([
  ["an unknown error", { error: "explosion" }],
  ["an unknown field", { error: "break", when: 3 }],
  ["a refusal after events", { error: "ThrottlingException", after: 2 }],
])("%s is refused", (_, fault) => {
  expect(() => faults.add(fault as Fault)).toThrow(/^Model host fault: /);
});

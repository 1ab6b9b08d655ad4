import { describe, expect, test } from "@jest/globals";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import {
  isBillable,
  ModelHostError,
  type ModelHostFailure,
  modelHostRefusal,
} from "../../../domain/messages/model-host.ts";

const leaky = "no access: arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.x in account 123456789012";

test.each<[ModelHostFailure, string]>([
  ["rejected", "invalid_request"],
  ["retired", "model_unknown"],
  ["denied", "upstream_failed"],
  ["broken", "upstream_failed"],
  ["throttled", "upstream_overloaded"],
  ["unavailable", "upstream_overloaded"],
  ["timeout", "upstream_overloaded"],
])("%s is told as %s", (failure, code) => {
  const refusal = modelHostRefusal(new ModelHostError(failure, leaky));
  expect(refusal).toMatchObject({ code, isFinal: false });
  // Who makes a rejection has taken out what names the account; its wording is for the caller.
  if (failure !== "rejected") expect(refusal.message).not.toMatch(/arn:|\d{12}/);
});

test("a rejection of the request keeps the model host's message, because clients react to it; messages of other errors go only to the log", () => {
  const words = "prompt is too long: 210000 tokens > 200000 maximum";
  expect(modelHostRefusal(new ModelHostError("rejected", words)).message).toBe(words);
  const broken = new ModelHostError("broken", words);
  expect(modelHostRefusal(broken).message).not.toContain("too long");
  expect(modelHostRefusal(broken).cause).toBe(broken);
});

test("a refusal is passed on unchanged; another error counts as a failure of the model host", () => {
  const refusal = new Refusal("internal", "x");
  expect(modelHostRefusal(refusal)).toBe(refusal);
  expect(modelHostRefusal(new TypeError("x is undefined"))).toMatchObject({ code: "upstream_failed" });
  expect(modelHostRefusal(undefined)).toMatchObject({ code: "upstream_failed" });
});

test("a client is told not to repeat a call that may be billed", () => {
  const unknown = new ModelHostError("timeout", "reset", { outcomeUnknown: true });
  const refusal = modelHostRefusal(unknown);
  expect(refusal).toMatchObject({ code: "upstream_overloaded", isFinal: true });
  expect(refusal.message).toContain("may be billed");
  expect(modelHostRefusal(new ModelHostError("timeout", "slow")).isFinal).toBe(false);
  expect(modelHostRefusal(unknown, { isBilled: false })).toMatchObject({ isFinal: false });
});

describe("a failed call", () => {
  test("a failed call is not billed if the model host refused it", () => {
    expect(isBillable(new ModelHostError("throttled", "slow down"))).toBe(false);
  });

  test("a failed call is not billed if the proxy did not send it", () => {
    expect(isBillable(new Refusal("invalid_request", "thread: is not available here"))).toBe(false);
  });

  test("a failed call may be billed if its outcome is unknown", () => {
    expect(isBillable(new ModelHostError("broken", "reset", { outcomeUnknown: true }))).toBe(true);
    expect(isBillable(new Error("a bug"))).toBe(true);
  });
});

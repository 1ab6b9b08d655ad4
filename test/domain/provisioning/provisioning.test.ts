import { expect, test } from "@jest/globals";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { crossingRefusal, provisionAnswerSchema, resultOf } from "../../../domain/provisioning/provisioning.ts";

const crossed = (answer: unknown) => provisionAnswerSchema.parse(JSON.parse(JSON.stringify(answer)));

test("a result crosses as it is", () => {
  const result = { sub: "ann", state: "invited" };
  expect(resultOf("invite_account", crossed({ result }))).toEqual(result);
});

test("a refusal crosses with all that the caller is told, and without its cause", () => {
  const options = { fields: ["email"], retryAfterSeconds: 5, cause: new Error("secret") };
  const crossing = crossingRefusal(new Refusal("identity_unavailable", "later", options));
  expect(JSON.stringify(crossing)).not.toContain("secret");
  const thrown = (() => {
    try {
      return resultOf("invite_account", crossed({ refusal: crossing }));
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(Refusal);
  expect(thrown).toMatchObject({
    code: "identity_unavailable",
    message: "later",
    fields: ["email"],
    retryAfterSeconds: 5,
  });
});

test("a result of another form is a failure", () => {
  expect(() => resultOf("invite_account", crossed({ result: { sub: 1 } }))).toThrow();
});

import { TooManyRequestsException } from "@aws-sdk/client-lambda";
import { expect, test } from "@jest/globals";
import * as z from "zod";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { lambdaWith } from "../../support/program/asked-lambda.ts";

const actions = { greet: { input: z.object({ name: z.string() }), result: z.object({ text: z.string() }) } };
const asking = (answer: Parameters<typeof lambdaWith>[0], unavailable?: (cause: unknown) => Refusal) => {
  const { asked, invoke } = lambdaWith(answer);
  return { asked, ask: invoke({ name: "greeter", arn: "arn:greeter", actions, ...(unavailable && { unavailable }) }) };
};

test("an action is passed to its function with its input, and its result comes back", async () => {
  const { asked, ask } = asking({ payload: { result: { text: "hello" } } });
  expect(await ask("greet", { name: "ann" })).toEqual({ text: "hello" });
  expect(asked).toEqual([["arn:greeter", { action: "greet", input: { name: "ann" } }]]);
});

test("a refusal of an action arrives with its code, its message and its fields", async () => {
  const refusal = {
    code: "invalid_request",
    message: "email: not taken",
    fields: [{ path: "email", message: "not taken" }],
  };
  await expect(asking({ payload: { refusal } }).ask("greet", { name: "x" })).rejects.toMatchObject({
    name: "Error",
    ...refusal,
  });
});

test("a failing function is not reported as a refusal, and only the type of its error is told", async () => {
  const payload = { errorType: "TypeError", errorMessage: "arn:aws:kms:secret" };
  const { ask } = asking({ FunctionError: "Unhandled", payload });
  const failure = await ask("greet", { name: "x" }).catch((error: unknown) => error);
  expect(failure).toEqual(new Error("greeter failed at greet: TypeError"));
});

test.each([
  ["throttled", new TooManyRequestsException({ message: "Rate exceeded", $metadata: {} })],
  ["not reached", Object.assign(new Error("socket hang up"), { $metadata: {} })],
])("an invoked function that was %s is refused by name, or is an error with its cause", async (_what, error) => {
  const unavailable = (cause: unknown) => new Refusal("identity_unavailable", "later", { cause });
  const refused = asking(error, unavailable).ask("greet", { name: "x" });
  await expect(refused).rejects.toMatchObject({ code: "identity_unavailable", cause: error });
  await expect(asking(error).ask("greet", { name: "x" })).rejects.toMatchObject({
    message: "greeter did not answer",
    cause: error,
  });
});

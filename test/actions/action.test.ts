import { expect, test } from "@jest/globals";
import * as z from "zod";
import { resultOf } from "../../actions/action.ts";

const actions = { greet: { input: z.object({ name: z.string() }), result: z.object({ text: z.string() }) } };

test("the result of an action has the form that the action declares", () => {
  expect(resultOf(actions, "greet", { result: { text: "hello" } })).toEqual({ text: "hello" });
  expect(() => resultOf(actions, "greet", { result: { text: 1 } })).toThrow(z.ZodError);
});

test("a refusal in an action's answer is thrown if its code is one of the platform's", () => {
  const refusal = { code: "not_found", message: "id: there is none" };
  expect(() => resultOf(actions, "greet", { refusal })).toThrow(expect.objectContaining({ name: "Error", ...refusal }));
  expect(() => resultOf(actions, "greet", { refusal: { ...refusal, code: "of_tomorrow" } })).toThrow(z.ZodError);
});

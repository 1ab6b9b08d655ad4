import { expect, test } from "@jest/globals";
import * as z from "zod";
import { resultOf } from "../../actions/action.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { answerActions } from "../../handlers/actions.ts";

const actions = { greet: { input: z.object({ name: z.string() }), result: z.object({ text: z.string() }) } };

function answering(greet: (input: { name: string }) => Promise<{ text: string }>) {
  const lines: unknown[] = [];
  const log = { info: () => {}, problem: (...line: unknown[]) => void lines.push(line) };
  return { lines, ask: answerActions(actions, { greet }, log) };
}
const crossed = (answer: unknown) => JSON.parse(JSON.stringify(answer));

test("the answer of an action is its result, unchanged", async () => {
  const { ask } = answering(async ({ name }) => ({ text: `hello ${name}` }));
  const answer = await ask({ action: "greet", input: { name: "ann" } });
  expect(answer).toEqual({ result: { text: "hello ann" } });
  expect(resultOf(actions, "greet", crossed(answer))).toEqual({ text: "hello ann" });
});

test("a refusal of an action has everything that the caller is told, and not its cause", async () => {
  const options = { fields: [{ path: "email", message: "no" }], retryAfterSeconds: 5, cause: new Error("secret") };
  const { ask, lines } = answering(() => Promise.reject(new Refusal("identity_unavailable", "later", options)));
  const answer = await ask({ action: "greet", input: { name: "ann" } });
  expect(JSON.stringify(answer)).not.toContain("secret");
  expect(lines).toEqual([["identity_unavailable", { action: "greet" }, options.cause]]);
  let thrown: unknown;
  try {
    resultOf(actions, "greet", crossed(answer));
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Refusal);
  expect(thrown).toMatchObject({
    code: "identity_unavailable",
    message: "later",
    fields: [{ path: "email", message: "no" }],
    retryAfterSeconds: 5,
  });
});

test("a refusal that the request caused is not logged as a problem", async () => {
  const { ask, lines } = answering(() => Promise.reject(new Refusal("invalid_request", "no")));
  expect(await ask({ action: "greet", input: { name: "x" } })).toEqual({
    refusal: { code: "invalid_request", message: "no" },
  });
  expect(lines).toEqual([]);
});

test("a failure of an action is logged and thrown", async () => {
  const failure = new Error("access denied");
  const { ask, lines } = answering(() => Promise.reject(failure));
  await expect(ask({ action: "greet", input: { name: "x" } })).rejects.toBe(failure);
  expect(lines).toEqual([["An action failed", { action: "greet" }, failure]]);
});

test.each([
  ["an unknown action", { action: "drop_everything", input: {} }],
  ["the name of a method of every object", { action: "toString", input: {} }],
  ["a wrong input", { action: "greet", input: { name: 1 } }],
])("an action called with %s throws", async (_what, request) => {
  await expect(answering(async () => ({ text: "" })).ask(request)).rejects.toThrow();
});

import { describe, expect, test } from "@jest/globals";
import { knownModels } from "../../../bedrock/models.ts";
import { checkBody } from "../../../bedrock/request/validation.ts";
import { checkRules, type Rule } from "../../../bedrock/rules/rule.ts";
import { hostRules, requestRules } from "../../../bedrock/rules/rules.ts";
import type { Example } from "./bodies.ts";
import { examples } from "./examples.ts";

const modelOf = (name: string) => {
  const model = knownModels.find(({ id }) => id === `anthropic.${name}`);
  if (!model) throw new Error(`there is no ${name}`);
  return model;
};

/** The words of the refusal by these rules, or undefined. */
function refusal({ body }: Example, model: string, rules: readonly Rule[]): string | undefined {
  try {
    const host = { model: modelOf(model), bindsThinking: true };
    checkRules(rules, checkBody(body, host.model, []), host);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test("each rule has an example", () => {
  expect(new Set(Object.keys(examples))).toEqual(new Set(hostRules.map(({ refused }) => refused)));
  expect(new Set(hostRules.map(({ refused }) => refused)).size).toBe(hostRules.length);
});

describe.each(hostRules.map((rule) => [rule.refused, rule] as const))("the host refuses %s", (name, rule) => {
  const example = examples[name] as Example;

  test(`the host refuses ${name} in the rule's words`, () => {
    expect(refusal(example, example.model, hostRules)).toBe(example.words ?? rule.words);
  });

  test(`without its rule, the host takes ${name}`, () => {
    expect(
      refusal(
        example,
        example.model,
        hostRules.filter((other) => other !== rule),
      ),
    ).toBeUndefined();
  });

  const { taker } = example;
  if (taker !== undefined) {
    test(`${name} is taken by another model`, () => {
      expect(refusal(example, taker, hostRules)).toBeUndefined();
    });
  }
});

test("a part that needs a flag is taken with each of its flags", () => {
  for (const { refused, unless = [], models } of hostRules) {
    const { model, body } = examples[refused] as Example;
    expect(models.has(`anthropic.${model}`)).toBe(true);
    for (const flag of unless) {
      expect(refusal({ model, body: { ...body, anthropic_beta: [flag] } }, model, hostRules)).toBeUndefined();
    }
  }
});

test("each rule has a day that has been, and a source", () => {
  for (const { day, source } of hostRules) {
    expect(day).toMatch(/^202\d-\d\d-\d\d$/);
    expect(source).not.toBe("");
  }
});

test("a body is checked by all rules that do not need the answering engine", () => {
  for (const { refused } of requestRules) {
    const { body, model } = examples[refused] as Example;
    expect(() => checkBody(body, modelOf(model))).toThrow();
  }
});

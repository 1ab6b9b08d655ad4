// The cache key of a verdict. A value that policies only compare with fixed texts counts as the set of texts that it matches, so
// that thousands of partition keys are a handful of questions.
import type { Statement } from "@cloud-copilot/iam-policy";
import type { Authorization } from "../aws/service.ts";
import { patternOf } from "./pattern.ts";

type Context = NonNullable<Authorization["context"]>;
type Condition = ReturnType<Statement["conditions"]>[number];
type Test = (value: string) => boolean;
/** The tests of a condition key, by operator and text. */
type Tests = ReadonlyMap<string, Test>;

/** The tests of each condition key of a policy, in lower case; "value" where more than such tests may depend on the value. */
export type Comparisons = ReadonlyMap<string, Tests | "value">;

/** The operators whose answer for a value follows from whether it matches each text, in lower case. */
const tested: Record<string, (text: string) => Test> = {
  stringequals: equality,
  stringnotequals: equality,
  stringlike: likeness,
  stringnotlike: likeness,
};

function equality(text: string): Test {
  return (value) => value === text;
}

function likeness(text: string): Test {
  const pattern = patternOf(text);
  return (value) => pattern.test(value);
}

/** @param variables the keys whose values the policy puts into its texts, in lower case */
export function comparisonsOf(statements: Statement[], variables: readonly string[]): Comparisons {
  const comparisons = new Map<string, Tests | "value">(variables.map((key) => [key, "value"]));
  for (const condition of statements.flatMap((statement) => statement.conditions())) {
    const key = condition.conditionKey().toLowerCase();
    comparisons.set(key, joined([comparisons.get(key) ?? new Map(), testsOf(condition)]));
  }
  return comparisons;
}

function testsOf(condition: Condition): Tests | "value" {
  const operator = condition.operation().baseOperator().toLowerCase();
  // The operator `Null` asks for presence alone.
  if (operator === "null") return new Map();
  const testOf = tested[operator];
  const texts = condition.conditionValues();
  // Whether a text with a variable matches depends on other values too.
  if (!testOf || texts.some((text) => /\$\{/.test(text))) return "value";
  return new Map(texts.map((text) => [`${operator} ${text}`, testOf(text)]));
}

function joined(all: (Tests | "value")[]): Tests | "value" {
  const tests = new Map<string, Test>();
  for (const one of all) {
    if (one === "value") return "value";
    for (const [name, test] of one) tests.set(name, test);
  }
  return tests;
}

/**
 * Replaces each value of the context by the tests that it passes. The policies decide alike on two contexts with the same result.
 * A single value and a list of one stay apart, since operators treat them differently.
 */
export function distinguishable(
  context: Context,
  policies: readonly { comparisons: Comparisons }[],
): Record<string, unknown> {
  const entries = Object.entries(context).map(([name, value]) => {
    const tests = joined(policies.map(({ comparisons }) => comparisons.get(name.toLowerCase()) ?? new Map()));
    if (tests === "value") return [name, value];
    const matches = (text: string) => [...tests].flatMap(([test, isMatch]) => (isMatch(text) ? [test] : []));
    if (typeof value === "string") return [name, { matches: matches(value) }];
    return [name, [...new Set(value.map((text) => JSON.stringify(matches(text))))].sort()];
  });
  return Object.fromEntries(entries);
}

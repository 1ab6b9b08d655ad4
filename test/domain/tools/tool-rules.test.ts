// Which tools of an integration are offered, and to whom, as people say it.
import { describe, expect, test } from "@jest/globals";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import { reasonAgainstTool, requireKnownTools, toolRulesBody } from "../../../domain/tools/tool-rules.ts";

const parsed = (rules: unknown) => parseRequest(toolRulesBody, rules, "tools");

test("nothing said offers all tools to everybody", () => {
  expect(parsed({})).toEqual({ owners_only: [] });
  expect(reasonAgainstTool(parsed({}), "feed", "developer")).toBeUndefined();
  expect(reasonAgainstTool(undefined, "feed", "developer")).toBeUndefined();
});

test("a tool that comes later is offered unless the offered ones are named", () => {
  expect(reasonAgainstTool({ owners_only: ["sell"] }, "new", "developer")).toBeUndefined();
  expect(reasonAgainstTool({ offered: ["feed"], owners_only: [] }, "new", "owner")).toContain("does not offer");
});

describe("what is refused", () => {
  test.each([
    ["an empty offer", { offered: [] }, "must name a tool at least"],
    ["a tool twice", { owners_only: ["feed", "feed"] }, "must name each tool once"],
    ["a tool for owners that is not offered", { offered: ["feed"], owners_only: ["sell"] }, "is not among those"],
    ["a field that nobody knows", { hidden: ["feed"] }, "allowed: offered, owners_only"],
  ])("%s", (_, rules, words) => expect(() => parsed(rules)).toThrow(words));

  test("a tool that the integration has not", () => {
    expect(() => requireKnownTools({ offered: ["feed", "seel"], owners_only: [] }, ["feed", "sell"])).toThrow(
      "tools.offered.1: is no tool of the integration",
    );
  });
});

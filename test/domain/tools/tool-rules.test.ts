// Which tools of an integration are offered, and to whom, as people say it.
import { describe, expect, test } from "@jest/globals";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import {
  reasonAgainstTool,
  requireKnownTools,
  strictest,
  type ToolRules,
  toolRulesBody,
  widerThan,
} from "../../../domain/tools/tool-rules.ts";

const parsed = (rules: unknown) => parseRequest(toolRulesBody, rules, "tools");

test("without rules all tools are offered to everybody", () => {
  expect(parsed({})).toEqual({ owners_only: [] });
  expect(reasonAgainstTool(parsed({}), "feed", "developer")).toBeUndefined();
  expect(reasonAgainstTool(undefined, "feed", "developer")).toBeUndefined();
});

test("a tool that is added later is offered unless the rules name the offered tools", () => {
  expect(reasonAgainstTool({ owners_only: ["sell"] }, "new", "developer")).toBeUndefined();
  expect(reasonAgainstTool({ offered: ["feed"], owners_only: [] }, "new", "owner")).toContain("does not offer");
});

describe("rules within the owner's", () => {
  const tools = ["a", "b", "c"];
  const lists = Array.from({ length: 8 }, (_, bits) => tools.filter((__, place) => bits & (1 << place)));
  const rules = lists.flatMap((owners_only): ToolRules[] => [
    { owners_only },
    ...lists.map((offered) => ({ offered, owners_only })),
  ]);
  const allowed = (rule: ToolRules | undefined, role: "owner" | "developer") =>
    [...tools, "later"].filter((tool) => reasonAgainstTool(rule, tool, role) === undefined);
  const isWithin = (one: ToolRules, other: ToolRules) =>
    (["owner", "developer"] as const).every((role) =>
      allowed(one, role).every((tool) => allowed(other, role).includes(tool)),
    );

  test("rules within the owner's rules allow no tool that the owner's rules forbid, including future tools", () => {
    const wrong = rules.flatMap((owners) =>
      rules.filter((asked) => (widerThan(owners, asked, tools) === undefined) !== isWithin(asked, owners)),
    );
    expect(wrong).toEqual([]);
  });

  test("a developer's rules together with the owner's allow only tools that both allow", () => {
    const both = (role: "owner" | "developer", one: ToolRules, other: ToolRules) =>
      allowed(one, role).filter((tool) => allowed(other, role).includes(tool));
    const wrong = rules.flatMap((one) =>
      rules.filter((other) =>
        (["owner", "developer"] as const).some(
          (role) => `${allowed(strictest([one, other]), role)}` !== `${both(role, one, other)}`,
        ),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe("what is refused", () => {
  test.each([
    ["an empty offer", { offered: [] }, "must name a tool at least"],
    ["a tool twice", { owners_only: ["feed", "feed"] }, "must name each tool once"],
    ["a tool for owners that is not offered", { offered: ["feed"], owners_only: ["sell"] }, "is not among those"],
    ["a second tool for owners that is not offered", { offered: ["a"], owners_only: ["a", "b"] }, "owners_only.1"],
    ["a field that nobody knows", { hidden: ["feed"] }, "allowed: offered, owners_only"],
  ])("rules of tools are refused with %s", (_, rules, words) => expect(() => parsed(rules)).toThrow(words));

  test("rules of tools that name an unknown tool are refused", () => {
    expect(() => requireKnownTools({ offered: ["feed", "seel"], owners_only: [] }, ["feed", "sell"])).toThrow(
      "tools.offered.1: is no tool of the integration",
    );
  });
});

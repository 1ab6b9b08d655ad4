import { describe, expect, test } from "@jest/globals";
import {
  type BetaRule,
  type Capabilities,
  capabilitiesSchema,
  isListed,
  refusedFields,
  sentBetas,
  sentVersion,
  suspectedBetas,
} from "../../../domain/catalog/capability.ts";

const read = (rule: BetaRule) => ({ rule, source: "a page", date: "2026-11-21" });
const capabilities: Capabilities = {
  betas: {
    "known-2026-01-01": read("pass"),
    "other-2026-01-01": read("pass"),
    "old-2025-01-01": read({ rename: "known-2026-01-01" }),
    "search-*": read("drop"),
    "search-tool-*": read("pass"),
    "search-tool-2025-01-01": read("drop"),
  },
  refused_fields: [
    { path: "speed" },
    { path: "tools[].defer_loading", unless_betas: ["known-2026-01-01", "other-2026-01-01"] },
  ],
  api_versions: { "2026-10-21": { source: "a page", date: "2026-11-21" } },
  system_turns: "pass",
  count_tokens: "none",
};

test.each([
  ["2026-10-21", "2026-10-21"],
  ["2023-06-01", undefined],
  ["2027-01-01", undefined],
  ["constructor", undefined],
  ["", undefined],
  [undefined, undefined],
])("sentVersion gives %j as %j: the caller's, if the model takes it", (asked, sent) => {
  expect(sentVersion(capabilities, asked)).toBe(sent);
});

describe("sentBetas", () => {
  test.each([
    ["known-2026-01-01", ["known-2026-01-01"]],
    ["old-2025-01-01", ["known-2026-01-01"]],
    ["search-2025-01-01", []],
    ["search-tool-2026-01-01", ["search-tool-2026-01-01"]],
    ["search-tool-2025-01-01", []],
    ["never-heard-of-2027-01-01", ["never-heard-of-2027-01-01"]],
    ["constructor", ["constructor"]],
    ["__proto__", ["__proto__"]],
  ])("the flag %p is sent as %p", (flag, sent) => {
    expect(sentBetas(capabilities, [flag])).toEqual(sent);
  });

  test("each flag is sent once, in the caller's order", () => {
    expect(sentBetas(capabilities, ["new", "old-2025-01-01", "known-2026-01-01", "new"])).toEqual([
      "new",
      "known-2026-01-01",
    ]);
  });
});

describe("suspectedBetas", () => {
  const { betas } = capabilities;
  const suspects = (...sent: string[]) => suspectedBetas({ betas: { ...betas, doubtful: read("try") } }, sent);

  test("flags are suspected in this order: unlisted ones, those that not every region accepts, then all", () => {
    expect(suspects("known-2026-01-01", "doubtful", "new")).toEqual(["new"]);
    expect(suspects("known-2026-01-01", "doubtful")).toEqual(["doubtful"]);
    expect(suspects("known-2026-01-01", "other-2026-01-01")).toEqual(["known-2026-01-01", "other-2026-01-01"]);
    expect(suspects()).toEqual([]);
  });
});

describe("refusedFields", () => {
  const paths = (sent: string[]) => refusedFields(capabilities, sent).map((field) => field.path);

  test("a field whose flag is sent is not refused", () => {
    expect(paths(["other-2026-01-01"])).toEqual(["speed"]);
  });

  test("a flag that is refused takes its fields with it", () => {
    expect(paths(sentBetas(capabilities, ["search-2025-01-01"]))).toEqual(["speed", "tools[].defer_loading"]);
  });
});

test.each(["", ".a", "a.", "a..b", "[]", "a[0]", "a b"])("%p is refused as the path of a field", (path) => {
  expect(capabilitiesSchema.safeParse({ ...capabilities, refused_fields: [{ path }] }).success).toBe(false);
});

test.each([
  ["known-2026-01-01", true],
  ["old-2025-01-01", true],
  ["search-anything", true],
  ["never-heard-of-2027-01-01", false],
  ["constructor", false],
  ["__proto__", false],
])("whether the table of capabilities lists the flag %p: %p", (flag, listed) => {
  expect(isListed(capabilities, flag)).toBe(listed);
});

describe("a table", () => {
  const problemsOf = (changes: object) =>
    capabilitiesSchema.safeParse({ ...capabilities, ...changes }).error?.issues.map(({ message }) => message);

  test("the table of capabilities is valid", () => {
    expect(problemsOf({})).toBeUndefined();
  });

  test("the table of capabilities has the source and date of each flag", () => {
    expect(problemsOf({ betas: { ...capabilities.betas, a: { rule: "pass" } } })).toHaveLength(2);
    expect(problemsOf({ betas: { ...capabilities.betas, a: { ...read("pass"), date: "lately" } } })).toHaveLength(1);
  });

  test("the table of capabilities lists each flag that a field needs", () => {
    expect(problemsOf({ refused_fields: [{ path: "speed", unless_betas: ["typo-2026"] }] })).toEqual([
      "speed needs the flag typo-2026, which betas does not list",
    ]);
  });

  test("the table of capabilities renames a flag only to one that is sent", () => {
    expect(problemsOf({ betas: { ...capabilities.betas, a: read({ rename: "search-x" }) } })).toEqual([
      "a is renamed to search-x, which does not pass",
    ]);
  });
});

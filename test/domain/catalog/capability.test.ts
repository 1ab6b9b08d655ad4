import { describe, expect, test } from "@jest/globals";
import { type Capabilities, capabilitiesSchema, refusedFields, sentBetas } from "../../../domain/catalog/capability.ts";

const capabilities: Capabilities = {
  betas: {
    "known-2026-01-01": "pass",
    "old-2025-01-01": { rename: "known-2026-01-01" },
    "search-*": "drop",
    "search-tool-*": "pass",
    "search-tool-2025-01-01": "drop",
  },
  refused_fields: [
    { path: "speed" },
    { path: "tools[].defer_loading", unless_betas: ["known-2026-01-01", "other-2026-01-01"] },
  ],
  count_tokens: "none",
};

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
  ])("sends %p as %p", (flag, sent) => {
    expect(sentBetas(capabilities, [flag])).toEqual(sent);
  });

  test("sends each flag once, in the order of the caller", () => {
    expect(sentBetas(capabilities, ["new", "old-2025-01-01", "known-2026-01-01", "new"])).toEqual([
      "new",
      "known-2026-01-01",
    ]);
  });
});

describe("refusedFields", () => {
  const paths = (sent: string[]) => refusedFields(capabilities, sent).map((field) => field.path);

  test("spares a field whose flag is sent", () => {
    expect(paths(["other-2026-01-01"])).toEqual(["speed"]);
  });

  test("takes a field together with its flag", () => {
    expect(paths(sentBetas(capabilities, ["search-2025-01-01"]))).toEqual(["speed", "tools[].defer_loading"]);
  });
});

test.each(["", ".a", "a.", "a..b", "[]", "a[0]", "a b"])("%p is no path", (path) => {
  expect(capabilitiesSchema.safeParse({ ...capabilities, refused_fields: [{ path }] }).success).toBe(false);
});

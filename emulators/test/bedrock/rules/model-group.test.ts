import { expect, test } from "@jest/globals";
import { every, only, since, until, without } from "../../../bedrock/rules/model-group.ts";

test.each([
  [every, "all", ["anthropic.claude-opus-5", "anthropic.claude-haiku-4-5-20251001-v1:0"], []],
  [
    since("4.7"),
    "4.7 and newer",
    [
      "anthropic.claude-opus-4-7",
      "anthropic.claude-sonnet-5",
      "anthropic.claude-fable-5-2",
      "anthropic.claude-opus-4-10",
    ],
    ["anthropic.claude-opus-4-6-v1", "anthropic.claude-haiku-4-5-20251001-v1:0"],
  ],
  [
    until("4.6"),
    "4.6 and older",
    ["anthropic.claude-opus-4-6-v1", "anthropic.claude-sonnet-4-20250514-v1:0"],
    ["anthropic.claude-sonnet-5", "anthropic.claude-opus-4-7"],
  ],
  [
    only("fable", "opus-5"),
    "Fable, Opus 5",
    ["anthropic.claude-fable-5", "anthropic.claude-fable-5-1", "anthropic.claude-opus-5"],
    ["anthropic.claude-opus-5-5", "anthropic.claude-sonnet-5"],
  ],
  [
    without(since("5.5"), "sonnet-5-5"),
    "5.5 and newer, without Sonnet 5.5",
    ["anthropic.claude-opus-5-5"],
    ["anthropic.claude-sonnet-5-5", "anthropic.claude-opus-5"],
  ],
])("the group %# has its models", (group, title, members, others) => {
  expect(group.title).toBe(title);
  expect(members.filter((id) => !group.has(id))).toEqual([]);
  expect(others.filter((id) => group.has(id))).toEqual([]);
});

import { expect, test } from "@jest/globals";
import { distinct } from "../../../domain/catalog/finding.ts";

test("a finding of several regions is told once, at its first place", () => {
  const [a, b] = [
    { key: "a", isAlarm: true, says: "a" },
    { key: "b", isAlarm: true, says: "b" },
  ];
  expect(distinct([a, b, { ...a }])).toEqual([a, b]);
});

import { expect, test } from "@jest/globals";
import { endings } from "../../../packages/token-helper/models.ts";

test("setup tells the end of each model that it chose, at the host before the vendor's, and of no other", () => {
  const models = [
    { id: "a", last_day: "2026-12-01", vendor_last_day: "2026-11-30", successor: "b" },
    { id: "b", vendor_last_day: "2027-01-22" },
    { id: "c", last_day: "2026-12-01" },
    { id: "d" },
  ];
  expect(endings(models, ["a", "b", "d"])).toEqual([
    "a can be called until 2026-12-01; use b instead",
    "b ends at its vendor on 2027-01-22",
  ]);
});

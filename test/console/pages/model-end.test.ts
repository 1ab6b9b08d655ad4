import { expect, test } from "@jest/globals";
import { endOf } from "../../../console/pages/models/model-end.ts";

test.each([
  [{}, undefined],
  [{ last_day: "2026-12-01" }, "Can be called until 2026-12-01."],
  [
    { vendor_last_day: "2026-11-30", successor: "claude-sonnet-5" },
    "Ends at the vendor's own API on 2026-11-30. Use claude-sonnet-5 instead.",
  ],
])("people read of a model with %j: %s", (model, words) => {
  expect(endOf(model)).toBe(words);
});

import { expect, test } from "@jest/globals";
import { isEstablished, unpaidLimit } from "../../../domain/workspace/trust.ts";

test("before the first payment the trial's cap may be unpaid, and four times of what was paid beside it after that", () => {
  expect([0, 10, 100].map((paid) => unpaidLimit(50, paid))).toEqual([50, 90, 450]);
});

test("who has paid the cap ten times has none", () => {
  expect([499, 500].map((paid) => isEstablished(50, paid))).toEqual([false, true]);
});

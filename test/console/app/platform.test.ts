import { expect, test } from "@jest/globals";
import { skewOf } from "../../../console/app/platform.ts";

const sent = Date.parse("2026-11-24T10:00:00Z");
const headers = (more: Record<string, string>) => new Headers(more);

test("the console notices from the answer's date that the computer's clock is a day behind or ahead", () => {
  const date = new Date(sent).toUTCString();
  for (const day of [-86_400_000, 86_400_000]) expect(skewOf(headers({ date }), sent + day)).toBe(-day);
});

test("the age of a cached answer counts when the computer's clock is compared", () => {
  expect(skewOf(headers({ date: new Date(sent).toUTCString(), age: "90" }), sent)).toBe(90_000);
});

test("the computer's clock is used if the platform's answer has no date", () => {
  expect(skewOf(headers({}), sent)).toBe(0);
});

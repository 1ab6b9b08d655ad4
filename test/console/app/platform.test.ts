import { expect, test } from "@jest/globals";
import { skewOf } from "../../../console/app/platform.ts";

const sent = Date.parse("2026-11-24T10:00:00Z");
const headers = (more: Record<string, string>) => new Headers(more);

test("a clock that is a day behind or ahead is told by the answer's date", () => {
  const date = new Date(sent).toUTCString();
  for (const day of [-86_400_000, 86_400_000]) expect(skewOf(headers({ date }), sent + day)).toBe(-day);
});

test("the age that a cache adds counts", () => {
  expect(skewOf(headers({ date: new Date(sent).toUTCString(), age: "90" }), sent)).toBe(90_000);
});

test("the machine's clock is used if the platform sends no date", () => {
  expect(skewOf(headers({}), sent)).toBe(0);
});

import { expect, test } from "@jest/globals";
import { nextMailAt } from "../../../domain/people/invitation-mail.ts";

test("the next mail waits ten minutes for the one before", () => {
  expect(nextMailAt({})).toBe(0);
  expect(new Date(nextMailAt({ mailed_at: "2026-11-21T05:00:00.000Z" })).toISOString()).toBe(
    "2026-11-21T05:10:00.000Z",
  );
});

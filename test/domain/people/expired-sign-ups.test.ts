import { expect, test } from "@jest/globals";
import { expireSignUps, signUpHours } from "../../../domain/people/expired-sign-ups.ts";

const now = Date.parse("2026-11-22T00:00:00.000Z");
const hourMs = 3_600_000;

test("sign-ups that are not confirmed in time are removed, on every page, and the others stay", async () => {
  const pages = [{ ann: signUpHours, ben: signUpHours - 1 }, { cy: 700 }];
  const removed: string[] = [];
  await expireSignUps({
    accounts: {
      listUnconfirmed: async (after = "0") => ({
        accounts: Object.entries(pages[Number(after)] ?? {}).map(([sub, hours]) => ({
          sub,
          createdAt: now - hours * hourMs,
        })),
        next: after === "0" ? "1" : undefined,
      }),
      removeUnconfirmed: async (sub) => removed.push(sub) > 0,
    },
    log: { info: () => {}, problem: () => {} },
    clock: () => now,
  });
  expect(removed).toEqual(["ann", "cy"]);
});

test("an hourly run removes an unconfirmed sign-up within a day, before Cognito's code expires", () => {
  expect(signUpHours + 1).toBeLessThanOrEqual(24);
});

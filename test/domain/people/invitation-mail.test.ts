import { expect, test } from "@jest/globals";
import { nextMailAt, requirePause } from "../../../domain/people/invitation-mail.ts";

test("the next invitation mail to a person waits for ten minutes after the previous one", () => {
  expect(nextMailAt({})).toBe(0);
  expect(new Date(nextMailAt({ mailed_at: "2026-11-21T05:00:00.000Z" })).toISOString()).toBe(
    "2026-11-21T05:10:00.000Z",
  );
});

test("a second invitation mail to a person is refused for ten minutes, with the time from which it may be sent", () => {
  const mailed = { mailed_at: "2026-11-26T09:30:00.000Z" };
  const at = (time: string) => () => requirePause(mailed, Date.parse(time));
  expect(at("2026-11-26T09:38:30Z")).toThrow(
    expect.objectContaining({
      code: "rate_limited",
      retryAfterSeconds: 90,
      message: "A person gets one mail in 10 minutes, the next one from 2026-11-26T09:40:00.000Z on",
    }),
  );
  expect(at("2026-11-26T09:40:00Z")).not.toThrow();
  expect(() => requirePause({}, Date.now())).not.toThrow();
});

import { expect, jest, test } from "@jest/globals";
import { maxAttempts, optimistically } from "../../../domain/kernel/optimistic.ts";

test("an optimistic write returns the result of the first round without a conflict", async () => {
  const attempt = jest.fn(async (round: number) => (round === 3 ? "written" : undefined));
  expect(await optimistically(attempt)).toBe("written");
  expect(attempt.mock.calls).toEqual([[1], [2], [3]]);
});

test("an optimistic write ends after the last round, by default with the status 503", async () => {
  const attempt = jest.fn(async (): Promise<string | undefined> => undefined);
  await expect(optimistically(attempt)).rejects.toMatchObject({ code: "store_unavailable" });
  expect(attempt).toHaveBeenCalledTimes(maxAttempts);
  expect(await optimistically(attempt, () => "left")).toBe("left");
});

test("an optimistic write does not repeat a round that failed", async () => {
  const attempt = jest.fn(async (): Promise<string> => {
    throw new Error("broken");
  });
  await expect(optimistically(attempt)).rejects.toThrow("broken");
  expect(attempt).toHaveBeenCalledTimes(1);
});

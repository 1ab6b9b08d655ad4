import { expect, jest, test } from "@jest/globals";
import { maxAttempts, optimistically } from "../../../domain/kernel/optimistic.ts";

test("gives what the first round gives that was not outrun", async () => {
  const attempt = jest.fn(async (round: number) => (round === 3 ? "written" : undefined));
  expect(await optimistically(attempt)).toBe("written");
  expect(attempt.mock.calls).toEqual([[1], [2], [3]]);
});

test("ends after the last round, with 503 unless another end is given", async () => {
  const attempt = jest.fn(async (): Promise<string | undefined> => undefined);
  await expect(optimistically(attempt)).rejects.toMatchObject({ code: "store_unavailable" });
  expect(attempt).toHaveBeenCalledTimes(maxAttempts);
  expect(await optimistically(attempt, () => "left")).toBe("left");
});

test("does not repeat a round that failed", async () => {
  const attempt = jest.fn(async (): Promise<string> => {
    throw new Error("broken");
  });
  await expect(optimistically(attempt)).rejects.toThrow("broken");
  expect(attempt).toHaveBeenCalledTimes(1);
});

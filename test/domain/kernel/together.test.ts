import { expect, test } from "@jest/globals";
import { together } from "../../../domain/kernel/together.ts";

test("the results of parallel work keep their order, including values that are known at once", async () => {
  expect(await together([Promise.resolve(1), "two", undefined])).toEqual([1, "two", undefined]);
});

test("a failure of parallel work is reported after everything else has ended", async () => {
  const slow = Promise.withResolvers<void>();
  const ended: string[] = [];
  const all = together([
    Promise.reject(new Error("first")),
    slow.promise.then(() => void ended.push("slow")),
    Promise.reject(new Error("second")),
  ]).catch((error: Error) => void ended.push(error.message));
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([]);
  slow.resolve();
  await all;
  expect(ended).toEqual(["slow", "first"]);
});

import { expect, test } from "@jest/globals";
import { eachOf } from "../../domain/each-of.ts";

async function* upTo(count: number): AsyncGenerator<number> {
  for (let next = 1; next <= count; next++) yield next;
}

test("every item is acted on once, and no more than so many at a time", async () => {
  const seen: number[] = [];
  let now = 0;
  let most = 0;
  await eachOf(upTo(10), 3, async (item) => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    seen.push(item);
    now -= 1;
  });
  expect(seen.sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(most).toBe(3);
});

test("what goes wrong is not swallowed", async () => {
  const act = async (item: number) => {
    if (item === 2) throw new Error("no");
  };
  await expect(eachOf(upTo(5), 2, act)).rejects.toThrow("no");
});

test("nothing to do is done", async () => {
  await expect(eachOf(upTo(0), 4, async () => {})).resolves.toBeUndefined();
});

import { expect, test } from "@jest/globals";
import { nextGeneration } from "../../../domain/connectors/refresh-family.ts";

const hour = 3_600_000;
const at = Date.UTC(2026, 10, 28);
const newest = { generation: 5, since: at };

test.each([
  ["the newest within its hour", newest, at + hour - 1, newest],
  ["the newest after an hour", newest, at + hour, { generation: 6, since: at + hour }],
  ["the one before within the hour", { generation: 4, since: at - hour }, at + 1, newest],
  ["the one before after a night", { generation: 4, since: at - hour }, at + 12 * hour, newest],
  ["an older one", { generation: 3, since: at - 2 * hour }, at + 1, "stale"],
  ["the first one", { generation: 1, since: 0 }, at + 1, "stale"],
])("%s of a family is answered by its rule", (_, presented, now, answered) => {
  expect(nextGeneration(presented, newest, now)).toEqual(answered);
});

test("a family without a row is in its first generation, which began with the sign-in", () => {
  const first = { generation: 1, since: at };
  expect(nextGeneration(first, undefined, at + hour - 1)).toEqual(first);
  expect(nextGeneration(first, undefined, at + hour)).toEqual({ generation: 2, since: at + hour });
});

test("a generation that a restored table does not know yet counts as the newest", () => {
  const ahead = { generation: 9, since: at };
  expect(nextGeneration(ahead, newest, at + 1)).toEqual(ahead);
  expect(nextGeneration(ahead, newest, at + hour)).toEqual({ generation: 10, since: at + hour });
});

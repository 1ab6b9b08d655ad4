import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ApiKey, ApiKeyFilter } from "../../../domain/access/api-key.ts";
import type { Page, PageRequest } from "../../../domain/kernel/page.ts";
import { LastUseWriter, listKeysThatNeedCare, needsCare } from "../../../domain/keys/last-use.ts";

let now: number;
let puts: [string, number][];
let problems: unknown[];
let failure: Error | undefined;
let writer: LastUseWriter;
beforeEach(() => {
  [now, puts, problems, failure] = [0, [], [], undefined];
  const put = async (keyId: string, at: number) => {
    puts.push([keyId, at]);
    if (failure) throw failure;
  };
  const problem = (...told: unknown[]) => void problems.push(told);
  writer = new LastUseWriter({ store: { put }, clock: () => now, log: { info: () => {}, problem } });
});

test("the last use of each key is stored at most once a minute", async () => {
  for (const at of [0, 1, 59_999, 60_000, 60_001]) {
    now = at;
    await writer.note("a");
  }
  await writer.note("b");
  expect(puts).toEqual([
    ["a", 0],
    ["a", 60_000],
    ["b", 60_001],
  ]);
});

test("simultaneous uses of a key are stored once", async () => {
  await Promise.all([writer.note("a"), writer.note("a"), writer.note("a")]);
  expect(puts).toHaveLength(1);
});

test("a store that fails to note a key's last use is logged, and called again after a minute", async () => {
  failure = new Error("down");
  for (const at of [0, 1, 60_000]) {
    now = at;
    await writer.note("a");
  }
  expect(puts).toHaveLength(2);
  expect(problems).toEqual(Array(2).fill(["last_use_not_noted", { key_id: "a" }, failure]));
});

const day = 86_400_000;
const today = Date.parse("2026-11-25T12:00:00Z");
const daysAgo = (days: number) => new Date(today - days * day).toISOString();
const key = (key_id: string, created: number, expires_at?: string) =>
  ({ key_id, created_at: daysAgo(created), ...(expires_at && { expires_at }) }) as ApiKey;
const end = daysAgo(-365);

describe("a key needs care", () => {
  test.each([
    ["without an end, however lately it was used", key("k", 1), daysAgo(0), true],
    ["unused for 90 days", key("k", 200, end), daysAgo(90), true],
    ["never used, made 90 days ago", key("k", 90, end), undefined, true],
    ["never used, made 89 days ago", key("k", 89, end), undefined, false],
    ["old and used yesterday", key("k", 200, end), daysAgo(1), false],
  ])("a key needs care: %s", (_, of, usedAt, expected) => {
    expect(needsCare(of, usedAt, today)).toBe(expected);
  });
});

describe("a page of them", () => {
  /** A store whose places are the keys' ids, and which asks nothing of its filter. */
  const storeOf = (keys: ApiKey[]) => {
    const asked: [ApiKeyFilter, PageRequest][] = [];
    const list = async (_: string, filter: ApiKeyFilter, page: PageRequest): Promise<Page<ApiKey>> => {
      asked.push([filter, page]);
      const rest = keys.slice(page.after === undefined ? 0 : keys.findIndex(({ key_id }) => key_id === page.after) + 1);
      const items = rest.slice(0, page.limit);
      return { items, next: rest.length > page.limit ? items.at(-1)?.key_id : undefined };
    };
    return { asked, list };
  };
  const used = new Map(Array.from({ length: 100 }, (_, at) => [`u${at}`, daysAgo(1)]));
  const lastUses = { of: async () => used };
  const inUse = (count: number) => Array.from({ length: count }, (_, at) => key(`u${at}`, 200, end));

  test("a page of keys that need care skips keys in use, and ends where the next page begins", async () => {
    const store = storeOf([key("a", 1), ...inUse(3), key("b", 200, end), key("c", 1)]);
    const deps = { apiKeys: store, lastUses };
    const first = await listKeysThatNeedCare(deps, "t", { now: today }, { limit: 2, after: undefined });
    expect([first.items.map(({ key_id }) => key_id), first.next]).toEqual([["a", "b"], "b"]);
    const rest = await listKeysThatNeedCare(deps, "t", { now: today }, { limit: 2, after: first.next });
    expect([rest.items.map(({ key_id }) => key_id), rest.next]).toEqual([["c"], undefined]);
  });

  test("a page of keys that need care reads last uses only of active keys that may need care", async () => {
    const store = storeOf([]);
    await listKeysThatNeedCare(
      { apiKeys: store, lastUses },
      "t",
      { now: today, callerId: "c" },
      { limit: 5, after: undefined },
    );
    expect(store.asked).toEqual([
      [
        { now: today, callerId: "c", status: "active", noEndOrBefore: daysAgo(90) },
        { limit: 5, after: undefined },
      ],
    ]);
  });

  test("a page of keys that need care reads at most a fixed number of keys in use, and says where it continues", async () => {
    const store = storeOf(inUse(100));
    const { items, next } = await listKeysThatNeedCare(
      { apiKeys: store, lastUses },
      "t",
      { now: today },
      { limit: 10, after: undefined },
    );
    expect([items, next, store.asked.length]).toEqual([[], "u49", 5]);
  });
});

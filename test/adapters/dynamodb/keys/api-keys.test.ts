import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { apiKeyRecord } from "../../../../adapters/dynamodb/keys/api-key.record.ts";
import { ledgerRecord } from "../../../../adapters/dynamodb/ledger/ledger.record.ts";
import type { ApiKey } from "../../../../domain/access/api-key.ts";
import { countedCalls } from "../../../support/dynamodb/counted-calls.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { untilTold } from "../../../support/dynamodb/until-told.ts";
import { aKey, anEntry } from "../../../support/people/api-keys.ts";
import { memberCommand } from "../../../support/people/members.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
beforeAll(async () => {
  opened = await openStores();
  for (const tenant_id of ["t1", "list", "planted", "full", "fifty", "sixty", "lost"]) {
    for (const sub of ["ann", "bob"]) {
      await opened.document.send(memberCommand({ sub, tenant_id, status: "active" }));
    }
  }
});
afterAll(() => opened.close());

test("an API key is found by its id as it was created", async () => {
  const { apiKeys } = opened.stores;
  const key = aKey("k1", { expires_at: "2027-01-01T00:00:00.000Z" });
  expect(await apiKeys.create(key, 100, anEntry())).toBe("created");
  expect(await apiKeys.get("k1")).toEqual(key);
  expect(await apiKeys.get("none")).toBeUndefined();
  expect(await apiKeys.many(key.tenant_id, ["none", "k1"])).toEqual([key]);
  expect(await apiKeys.many("another", ["k1"])).toEqual([]);
});

test("an API key's expiry is not the attribute by which the table deletes items", async () => {
  const { apiKeys } = opened.stores;
  await apiKeys.create(aKey("k2", { expires_at: "2027-01-01T00:00:00.000Z" }), 100, anEntry());
  const { Item } = await opened.document.send(
    new GetCommand({ TableName: tableName, Key: apiKeyRecord.key({ key_id: "k2" }) }),
  );
  expect(Item).not.toHaveProperty("expires_at");
});

test("an API key's id is accepted once; the very same write may be repeated", async () => {
  const { apiKeys } = opened.stores;
  expect(await apiKeys.create(aKey("k3"), 100, anEntry())).toBe("created");
  expect(await apiKeys.create(aKey("k3"), 100, anEntry())).toBe("created");
  expect(await apiKeys.create(aKey("k3", { hash: "another", tenant_id: "t2" }), 100, anEntry())).toBe("taken");
  expect(await apiKeys.get("k3")).toEqual(aKey("k3"));
});

test("an API key is revoked only by its tenant, and only by its caller if a caller is named", async () => {
  const { apiKeys } = opened.stores;
  await apiKeys.create(aKey("k4"), 100, anEntry());
  expect(await apiKeys.revoke("t2", "k4", undefined, 0, anEntry())).toBe(false);
  expect(await apiKeys.revoke("t1", "k4", "bob", 0, anEntry())).toBe(false);
  expect(await apiKeys.revoke("t1", "none", undefined, 0, anEntry())).toBe(false);
  expect(await apiKeys.get("k4")).toEqual(aKey("k4"));
  expect(await apiKeys.revoke("t1", "k4", "ann", 0, anEntry())).toBe(true);
  expect(await apiKeys.revoke("t1", "k4", undefined, 60_000, anEntry())).toBe(true);
  expect(await apiKeys.get("k4")).toEqual(
    aKey("k4", { status: "revoked", revoked_at: "1970-01-01T00:00:00.000Z", version: 2 }),
  );
});

test("the list of API keys contains a tenant's keys, page by page, or those of one caller", async () => {
  const { apiKeys } = opened.stores;
  for (const [id, caller_id] of Object.entries({ a: "ann", b: "bob", c: "bob", d: "bob", e: "ann" })) {
    await apiKeys.create(aKey(id, { tenant_id: "list", caller_id }), 100, anEntry());
  }
  expect(await pages("list", undefined, 3)).toEqual([
    ["e", "d", "c"],
    ["b", "a"],
  ]);
  expect((await pages("list", "ann", 2)).flat()).toEqual(["e", "a"]);
  expect((await pages("list", "bob", 2))[0]).toEqual(["d", "c"]);
  expect((await pages("list", "nobody", 2)).flat()).toEqual([]);
});

test("foreign records in the list of API keys are skipped, wherever a page ends", async () => {
  const { apiKeys } = opened.stores;
  const tenant_id = "planted";
  for (const id of ["pb", "pd", "pf"]) await apiKeys.create(aKey(id, { tenant_id }), 100, anEntry());
  const plant = (own: object, changes: Partial<ApiKey> & { key_id: string }, place = changes.key_id) =>
    opened.document.send(
      new PutCommand({
        TableName: tableName,
        Item: {
          ...aKey("", { tenant_id, ...changes }),
          ...own,
          ...apiKeyRecord.indexKey({ tenant_id, created_at: "", key_id: place }),
        },
      }),
    );
  for (const id of ["pa", "pb", "pc", "pd", "pe", "pf", "pg"]) {
    // Rows of a ledger writer's own, on both sides of a key in the same place and in places of their own.
    await plant(ledgerRecord.key({ tenant_id: "t0", hour: "2026-11-21T05", request_id: id }), { key_id: id });
    await plant(ledgerRecord.key({ tenant_id: "t0", hour: "2026-11-21T06", request_id: id }), { key_id: "pd" }, id);
  }
  // A key of another tenant, whose row claims this tenant's list.
  await plant(apiKeyRecord.key({ key_id: "px" }), { key_id: "px", tenant_id: "t0" }, "pc2");
  for (const limit of [1, 2, 3, 4]) {
    const seen = await pages(tenant_id, undefined, limit);
    expect(seen.flat()).toEqual(["pf", "pd", "pb"]);
    expect(Math.max(...seen.map((page) => page.length))).toBeLessThanOrEqual(limit);
  }
});

/** The ids of a list, page by page. */
async function pages(tenantId: string, caller: string | undefined, limit: number): Promise<string[][]> {
  const seen: string[][] = [];
  let after: string | undefined;
  do {
    const page = await opened.stores.apiKeys.list(tenantId, { callerId: caller, now: 0 }, { limit, after });
    seen.push(page.items.map(({ key_id }) => key_id));
    after = page.next;
  } while (after !== undefined);
  return seen;
}

test("a tenant cannot have more service accounts than its limit, and revoking one frees its place once", async () => {
  const { apiKeys } = opened.stores;
  const create = (id: string) =>
    apiKeys.create(aKey(id, { tenant_id: "full", caller_id: `sa_${id}`, role: "service_account" }), 3, anEntry());
  const created = await Promise.all(["a", "b", "c", "d", "e"].map((id) => create(`sa${id}`)));
  expect(created.toSorted()).toEqual(["created", "created", "created", "full", "full"]);
  const [first] = (await apiKeys.list("full", { now: 0 }, { limit: 10, after: undefined })).items;
  for (const now of [1, 2])
    expect(await apiKeys.revoke("full", first?.key_id ?? "", undefined, now, anEntry())).toBe(true);
  expect([await create("sax"), await create("say")]).toEqual(["created", "full"]);
  expect(await apiKeys.create(aKey("person", { tenant_id: "full" }), 3, anEntry())).toBe("created");
});

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

test("a person cannot have more than 50 active keys, even with simultaneous requests; expired and revoked keys do not count", async () => {
  const { apiKeys } = opened.stores;
  const create = (id: string, changes: Partial<ApiKey> = {}) =>
    apiKeys.create(aKey(id, { tenant_id: "fifty", ...changes }), 100, anEntry());
  for (const number of numbers(45)) {
    const expires_at = number < 2 ? "2026-11-21T06:00:00.000Z" : undefined;
    expect(await create(`f${number}`, expires_at ? { expires_at } : {})).toBe("created");
  }
  const late = await Promise.all(numbers(8).map((number) => create(`late${number}`)));
  expect(late.toSorted()).toEqual([...numbers(5).map(() => "created"), ...numbers(3).map(() => "full")]);
  expect(await apiKeys.revoke("fifty", "f9", undefined, 0, anEntry())).toBe(true);
  expect([await create("again"), await create("more")]).toEqual(["created", "full"]);
  // Two have expired an hour later: their places are given to those who come.
  const created_at = "2026-11-21T06:00:00.000Z";
  const after = await Promise.all(numbers(4).map((number) => create(`after${number}`, { created_at })));
  expect(after.toSorted()).toEqual(["created", "created", "full", "full"]);
  expect(await create("bobs", { caller_id: "bob" })).toBe("created");
});

test("60 simultaneous creations of keys by one person create 50 keys, and the others are refused with the reason", async () => {
  const { apiKeys } = opened.stores;
  const create = (number: number) => apiKeys.create(aKey(`sixty${number}`, { tenant_id: "sixty" }), 100, anEntry());
  const created = await Promise.all(numbers(60).map((number) => untilTold(() => create(number))));
  expect(created.toSorted()).toEqual([...numbers(50).map(() => "created"), ...numbers(10).map(() => "full")]);
});

test("a person who is not an active member gets no key", async () => {
  const { apiKeys } = opened.stores;
  await opened.document.send(memberCommand({ sub: "gone", tenant_id: "t1", status: "removed" }));
  for (const caller_id of ["gone", "stranger"]) {
    expect(await apiKeys.create(aKey(`of-${caller_id}`, { caller_id }), 100, anEntry())).toBe("no_member");
    expect(await apiKeys.get(`of-${caller_id}`)).toBeUndefined();
  }
});

test("a key's creation whose answer was lost is reported as done, and counted once", async () => {
  const { apiKeys } = opened.stores;
  const keyOf = (number: number) => aKey(`l${number}`, { tenant_id: "lost" });
  for (const number of [...numbers(50), ...numbers(50)]) {
    expect(await apiKeys.create(keyOf(number), 100, anEntry())).toBe("created");
  }
  expect(await apiKeys.create(aKey("l50", { tenant_id: "lost" }), 100, anEntry())).toBe("full");
});

test("a caller's keys among many of others are found with one call to the store", async () => {
  const page = { limit: 1, after: undefined };
  const list = async () => {
    const { items, next } = await opened.stores.apiKeys.list("fifty", { callerId: "bob", now: 0 }, page);
    expect([items.map(({ key_id }) => key_id), next]).toEqual([["bobs"], undefined]);
  };
  expect(await countedCalls(opened.document, list)).toBe(1);
});

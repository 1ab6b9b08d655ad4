import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import type { ApiKey } from "../../../domain/access/api-key.ts";
import { openStores, tableName } from "../../support/control-plane.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

function aKey(key_id: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    key_id,
    tenant_id: "t1",
    name: "CI",
    mode: "live",
    hash: `hash of ${key_id}`,
    last4: "abcd",
    role: "developer",
    caller_id: "ann",
    scope: "proxy:invoke",
    status: "active",
    created_by: "ann",
    created_at: "2026-11-21T05:00:00.000Z",
    ...changes,
  };
}

test("a key is found by its id as it was created", async () => {
  const { apiKeys } = opened.stores;
  const key = aKey("k1", { expires_at: "2027-01-01T00:00:00.000Z" });
  expect(await apiKeys.create(key)).toBe(true);
  expect(await apiKeys.get("k1")).toEqual(key);
  expect(await apiKeys.get("none")).toBeUndefined();
});

test("the end of a key is not what the table deletes items by", async () => {
  const { apiKeys } = opened.stores;
  await apiKeys.create(aKey("k2", { expires_at: "2027-01-01T00:00:00.000Z" }));
  const { Item } = await opened.document.send(new GetCommand({ TableName: tableName, Key: keys.apiKey("k2") }));
  expect(Item).not.toHaveProperty("expires_at");
});

test("an id is given once; the very same write may be repeated", async () => {
  const { apiKeys } = opened.stores;
  expect(await apiKeys.create(aKey("k3"))).toBe(true);
  expect(await apiKeys.create(aKey("k3"))).toBe(true);
  expect(await apiKeys.create(aKey("k3", { hash: "another", tenant_id: "t2" }))).toBe(false);
  expect(await apiKeys.get("k3")).toEqual(aKey("k3"));
});

test("a key is revoked by its tenant only, and by its caller only if one is named", async () => {
  const { apiKeys } = opened.stores;
  await apiKeys.create(aKey("k4"));
  expect(await apiKeys.revoke("t2", "k4", undefined, 0)).toBe(false);
  expect(await apiKeys.revoke("t1", "k4", "bob", 0)).toBe(false);
  expect(await apiKeys.revoke("t1", "none", undefined, 0)).toBe(false);
  expect(await apiKeys.get("k4")).toEqual(aKey("k4"));
  expect(await apiKeys.revoke("t1", "k4", "ann", 0)).toBe(true);
  expect(await apiKeys.revoke("t1", "k4", undefined, 60_000)).toBe(true);
  expect(await apiKeys.get("k4")).toEqual(aKey("k4", { status: "revoked", revoked_at: "1970-01-01T00:00:00.000Z" }));
});

test("the list has a tenant's keys, page by page, narrowed to a caller if one is named", async () => {
  const { apiKeys } = opened.stores;
  for (const [id, caller_id] of Object.entries({ a: "ann", b: "bob", c: "bob", d: "bob", e: "ann" })) {
    await apiKeys.create(aKey(id, { tenant_id: "list", caller_id }));
  }
  const pages = async (caller: string | undefined, limit: number) => {
    const seen: string[][] = [];
    let after: string | undefined;
    do {
      const page = await apiKeys.list("list", caller, { limit, after });
      seen.push(page.items.map(({ key_id }) => key_id));
      after = page.next;
    } while (after !== undefined);
    return seen;
  };
  expect(await pages(undefined, 3)).toEqual([
    ["a", "b", "c"],
    ["d", "e"],
  ]);
  expect((await pages("ann", 2)).flat()).toEqual(["a", "e"]);
  expect((await pages("bob", 2))[0]).toEqual(["b", "c"]);
  expect((await pages("nobody", 2)).flat()).toEqual([]);
});

import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { idempotencyRecord } from "../../../../adapters/dynamodb/kernel/idempotency.record.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

const hour = 3_600_000;
const aClaim = (resource_id: string) => ({ request_hash: "h", resource_id });
const claim = (key: string, resource_id: string, now: number) =>
  opened.stores.idempotency.reserve("ann", key, aClaim(resource_id), now);

test("an Idempotency-Key is claimed for a day, and can be claimed again afterwards", async () => {
  const now = opened.clock();
  expect(await claim("k1", "first", now)).toEqual(aClaim("first"));
  expect(await claim("k1", "second", now + 24 * hour - 1_000)).toMatchObject(aClaim("first"));
  expect(await claim("k1", "third", now + 24 * hour)).toEqual(aClaim("third"));
});

test("only one of many simultaneous requests with the same Idempotency-Key claims it", async () => {
  const now = opened.clock();
  const idempotency = await Promise.all(["a", "b", "c", "d"].map((id) => claim("k2", id, now)));
  expect(new Set(idempotency.map(({ resource_id }) => resource_id)).size).toBe(1);
});

test("the first answer for an Idempotency-Key is kept", async () => {
  const { idempotency } = opened.stores;
  await claim("k3", "first", opened.clock());
  await idempotency.answer("ann", "k3", { name: "one", list: [1] });
  await idempotency.answer("ann", "k3", { name: "two" });
  expect(await claim("k3", "second", opened.clock())).toMatchObject({ answer: { name: "one", list: [1] } });
});

test("the claim of an Idempotency-Key contains the time at which the table may delete it", async () => {
  const now = 1_800_000_000_000;
  await claim("k4", "first", now);
  const { Item } = await opened.document.send(
    new GetCommand({ TableName: tableName, Key: idempotencyRecord.key({ sub: "ann", key: "k4" }) }),
  );
  expect(Item?.expires_at).toBe(1_800_000_000 + 24 * 3600);
});

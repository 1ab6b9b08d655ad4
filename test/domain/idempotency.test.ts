import { expect, test } from "@jest/globals";
import { type IdempotencyRecord, type IdempotencyStore, reserveKey } from "../../domain/idempotency.ts";

function aStore(): IdempotencyStore {
  const claims = new Map<string, IdempotencyRecord>();
  return {
    async reserve(sub, key, claim) {
      const known = claims.get(`${sub} ${key}`) ?? claim;
      claims.set(`${sub} ${key}`, known);
      return known;
    },
    answer: async () => {},
  };
}

const claiming = { sub: "ann", key: "k", request: ["POST /v1/tenants", { name: "a" }], resourceId: "first", now: 0 };

test("every repeat gets the id of the first attempt", async () => {
  const store = aStore();
  expect(await reserveKey(store, claiming)).toMatchObject({ resource_id: "first" });
  expect(await reserveKey(store, { ...claiming, resourceId: "second" })).toMatchObject({ resource_id: "first" });
});

test("the same key with another body or operation is a conflict", async () => {
  const store = aStore();
  await reserveKey(store, claiming);
  for (const request of [
    ["POST /v1/tenants", { name: "b" }],
    ["POST /v1/keys", { name: "a" }],
  ]) {
    await expect(reserveKey(store, { ...claiming, request })).rejects.toMatchObject({ code: "conflict" });
  }
});

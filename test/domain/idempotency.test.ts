import { expect, test } from "@jest/globals";
import { type Claim, type ClaimStore, claimOnce } from "../../domain/idempotency.ts";

function aStore(): ClaimStore {
  const claims = new Map<string, Claim>();
  return {
    async claim(sub, key, claim) {
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
  expect(await claimOnce(store, claiming)).toMatchObject({ resource_id: "first" });
  expect(await claimOnce(store, { ...claiming, resourceId: "second" })).toMatchObject({ resource_id: "first" });
});

test("the same key with another body or operation is a conflict", async () => {
  const store = aStore();
  await claimOnce(store, claiming);
  for (const request of [
    ["POST /v1/tenants", { name: "b" }],
    ["POST /v1/keys", { name: "a" }],
  ]) {
    await expect(claimOnce(store, { ...claiming, request })).rejects.toMatchObject({ code: "conflict" });
  }
});

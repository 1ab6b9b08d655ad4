import { beforeEach, expect, test } from "@jest/globals";
import {
  createOnce,
  type IdempotencyRecord,
  type IdempotencyStore,
  KeyUsed,
} from "../../../domain/kernel/idempotency.ts";

let records: Map<string, IdempotencyRecord>;
let created: string[];
beforeEach(() => {
  records = new Map();
  created = [];
});

const store: IdempotencyStore = {
  async reserve(sub, key, record) {
    const known = records.get(`${sub} ${key}`) ?? { ...record };
    records.set(`${sub} ${key}`, known);
    return known;
  },
  async answer(sub, key, answer) {
    Object.assign(records.get(`${sub} ${key}`) ?? {}, { answer });
  },
};

const request = { sub: "ann", key: "k", request: ["POST /v1/tenants", { name: "a" }], keepAnswer: true, now: 0 };
const creating = (newId: string) => ({
  newId,
  create: async (id: string) => {
    created.push(id);
    return { id };
  },
});
const cutOff = (newId: string) => ({ newId, create: () => Promise.reject(new Error("the function is gone")) });

test("every repeat gets the answer of the first attempt, and creates nothing", async () => {
  expect(await createOnce(store, request, creating("first"))).toEqual({ id: "first" });
  expect(await createOnce(store, request, creating("second"))).toEqual({ id: "first" });
  expect(created).toEqual(["first"]);
});

test("every repeat gets the id of the first attempt, even if that was interrupted", async () => {
  await expect(createOnce(store, request, cutOff("first"))).rejects.toThrow();
  await createOnce(store, request, creating("second"));
  expect(created).toEqual(["first"]);
});

test("an answer that must not be stored is not, and a repeat creates again with the first id", async () => {
  const secret = { ...request, keepAnswer: false };
  await createOnce(store, secret, creating("first"));
  expect(records.get("ann k")).not.toHaveProperty("answer");
  await createOnce(store, secret, creating("second"));
  expect(created).toEqual(["first", "first"]);
});

test("the same key with another body or operation is refused", async () => {
  await createOnce(store, request, creating("first"));
  for (const other of [
    ["POST /v1/tenants", { name: "b" }],
    ["POST /v1/keys", { name: "a" }],
  ]) {
    const repeated = createOnce(store, { ...request, request: other }, creating("second"));
    await expect(repeated).rejects.toThrow(KeyUsed);
  }
  expect(created).toEqual(["first"]);
});

test("equal Idempotency-Keys of different people are different keys", async () => {
  await createOnce(store, request, creating("first"));
  await createOnce(store, { ...request, sub: "bob" }, creating("second"));
  expect(created).toEqual(["first", "second"]);
});

import { afterAll, expect, test } from "@jest/globals";
import { customerStore } from "../../../../adapters/dynamodb/billing/customers.ts";
import { debtorRecord } from "../../../../adapters/dynamodb/billing/debtor.record.ts";
import { recognitionStore } from "../../../../adapters/dynamodb/billing/recognition.ts";
import { allowanceRecord } from "../../../../adapters/dynamodb/budget/allowance.record.ts";
import { ownerAllowances } from "../../../../adapters/dynamodb/budget/allowances.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

const opened = await openStores();
afterAll(() => opened.close());
const rows = rowsOf(opened.document, tableName);
const store = recognitionStore(rows, () => Date.parse("2027-01-01T00:00:00Z"));
const allowances = ownerAllowances(rows);
const customers = customerStore(rows);
/** Makes the owner a customer, as each owner who has a card is. The purge removes the row. */
const customer = (ownerSub: string) =>
  customers.put({ owner_sub: ownerSub, customer_id: `cus_${ownerSub}` }, undefined);
const entryOf = (id: string) =>
  auditEntry({ tenant_id: "platform", actor: "payments", action: "billing.debt_left", target: "ada" }, { id, now: 0 });
const draw = (ownerSub: string, need: number) =>
  allowances.count({
    ownerSub,
    need,
    trialCap: 1_000,
    spent: 0,
    key: { tenantId: "t", callerId: "c", month: "2027-01" },
  });
const drawn = async (sub: string) => Number((await rows.get(allowanceRecord.key({ owner_sub: sub })))?.drawn ?? 0);

test("a debt is stored once under each of its marks, for 25 months, with its audit entry", async () => {
  const debt = { customerId: "cus_1", cents: 900 };
  expect(await store.leave(["m1", "m2"], debt, entryOf("e1"))).toBe(true);
  expect(await store.leave(["m1", "m2"], debt, entryOf("e2"))).toBe(false);
  await store.leave(["m2"], { customerId: "cus_2", cents: 5 }, entryOf("e3"));
  expect(await store.debts(["m1", "m2", "m3"])).toEqual([debt, { customerId: "cus_2", cents: 5 }]);
  const { expires_at } = (await rows.get(debtorRecord.key({ mark: "m1", customer_id: "cus_1" }))) ?? {};
  expect(new Date(Number(expires_at) * 1000).getUTCFullYear()).toBe(2029);
});

test("owners who have had the same card share one trial, also if they draw at the same time", async () => {
  await Promise.all(["ann", "ben", "cid", "dan"].map(customer));
  await Promise.all(["ann", "ben", "cid"].map((sub) => store.share(sub, ["card-1"])));
  await store.share("dan", ["card-2"]);
  const asked = Array.from({ length: 60 }, (_, index) => ["ann", "ben", "cid"][index % 3] ?? "");
  await Promise.allSettled(asked.map((sub) => draw(sub, 50)));
  for (const sub of ["ann", "ben", "cid"]) while ((await draw(sub, 50)).drawn);
  const sum = (await Promise.all(["ann", "ben", "cid"].map(drawn))).reduce((all, one) => all + one, 0);
  expect([sum <= 1_000, sum > 900]).toEqual([true, true]);
  expect(await draw("dan", 900)).toMatchObject({ drawn: true });
});

test("paid amounts belong to one owner, and only the trial is shared", async () => {
  await Promise.all(["eve", "fay", "gil"].map(customer));
  await store.share("eve", ["card-3"]);
  await store.share("fay", ["card-3"]);
  expect(await draw("eve", 900)).toMatchObject({ drawn: true });
  expect(await draw("fay", 200)).toMatchObject({ drawn: false, left: 95 });
  await rows.update(allowanceRecord.key({ owner_sub: "fay" }), {
    UpdateExpression: "SET paid = :p",
    ExpressionAttributeValues: { ":p": 100 },
  });
  expect(await draw("fay", 200)).toMatchObject({ drawn: true });
  await store.unshare("eve", ["card-3"]);
  await store.share("gil", ["card-3"]);
  expect((await allowances.read("gil")).taken).toBeUndefined();
});

test("an owner who is purged while a shared card is stored gets no new row", async () => {
  await Promise.all(["hal", "ivy"].map(customer));
  await store.share("hal", ["card-4"]);
  const gone = { owner_sub: "hal", customer_id: "cus_hal", has_payment_method: false, version: 1 };
  await customers.leave(gone);
  await customers.remove(gone);
  await store.share("ivy", ["card-4"]);
  await store.share("hal", ["card-4"]);
  expect(await rows.get(allowanceRecord.key({ owner_sub: "hal" }))).toBeUndefined();
});

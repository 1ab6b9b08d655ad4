import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { customerStore } from "../../../../adapters/dynamodb/billing/customers.ts";
import { reconciliationStore } from "../../../../adapters/dynamodb/billing/reconciliations.ts";
import { allowanceRecord } from "../../../../adapters/dynamodb/budget/allowance.record.ts";
import { type Rows, rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { Customer, CustomerStore } from "../../../../domain/billing/customer.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let rows: Rows;
let customers: CustomerStore;
beforeAll(async () => {
  opened = await openStores();
  rows = rowsOf(opened.document, tableName);
  customers = customerStore(rows);
});
afterAll(() => opened.close());

async function kept(owner_sub: string, customer_id = "cus_1"): Promise<Customer> {
  expect(await customers.put({ owner_sub, customer_id }, undefined)).toBe(true);
  return (await customers.get(owner_sub)) as Customer;
}

test("an owner's customer is stored once, and replaced only if it has not changed since it was read", async () => {
  expect(await customers.get("ann")).toBeUndefined();
  const first = await kept("ann");
  expect(first).toEqual({ owner_sub: "ann", customer_id: "cus_1", has_payment_method: false, version: 1 });
  expect(await customers.put({ owner_sub: "ann", customer_id: "cus_2" }, undefined)).toBe(false);
  expect(await customers.put({ owner_sub: "ann", customer_id: "cus_2" }, first)).toBe(true);
  expect(await customers.put({ owner_sub: "ann", customer_id: "cus_3" }, first)).toBe(false);
  expect(await customers.get("ann")).toMatchObject({ customer_id: "cus_2", version: 2 });
});

test("a customer is marked as leaving, also by a repeat, unless another customer has replaced it", async () => {
  const customer = await kept("dan");
  expect(await customers.leave({ ...customer, customer_id: "cus_0" })).toBe(false);
  expect(await customers.leave(customer)).toBe(true);
  expect(await customers.leave(customer)).toBe(true);
  expect(await customers.get("dan")).toMatchObject({ is_leaving: true });
});

test("only a customer that is leaving is forgotten, and not a customer that has replaced it", async () => {
  const customer = await kept("eve");
  await customers.remove(customer);
  expect(await customers.get("eve")).toEqual(customer);
  await customers.leave(customer);
  const leaving = (await customers.get("eve")) as Customer;
  expect(await customers.put({ owner_sub: "eve", customer_id: "cus_2" }, leaving)).toBe(true);
  await customers.remove(leaving);
  expect(await customers.get("eve")).toMatchObject({ customer_id: "cus_2" });
});

test("all rows of an owner are removed at once: a reading of the payment provider that ends later brings none back", async () => {
  const customer = await kept("ivy");
  await customers.leave(customer);
  const leaving = (await customers.get("ivy")) as Customer;
  const trust = { paid: 1, settled: 1, ceiling: 1, owed: 0, drawn: 1, cards: [], promoted: [], methodSince: 0 };
  const read = { eventId: undefined, now: 0, customer: leaving, trust, owes: [], seen: {}, changes: [], problems: [] };
  const reading = { ...read, hasPaymentMethod: true, triedPaymentMethod: undefined, notices: [] };
  const reconciliations = reconciliationStore(rows);
  const [, written] = await Promise.all([customers.remove(leaving), reconciliations.write(reading)]);
  expect(["written", "stale"]).toContain(written);
  expect(await reconciliations.write(reading)).toBe("stale");
  expect(await rows.get(allowanceRecord.key({ owner_sub: "ivy" }))).toBeUndefined();
});

test("a customer is created with the address of the first attempt, until the customer is stored", async () => {
  expect(await customers.addressInUse("fay")).toBeUndefined();
  expect(await customers.addressToUse("fay", "fay@old.example")).toBe("fay@old.example");
  expect(await customers.addressToUse("fay", "fay@new.example")).toBe("fay@old.example");
  expect([await customers.get("fay"), await customers.addressInUse("fay")]).toEqual([undefined, "fay@old.example"]);
  await kept("fay");
  expect(await customers.addressInUse("fay")).toBeUndefined();
});

test("forgetting the address of an owner's customer removes it", async () => {
  await customers.addressToUse("hal", "x@acme.example");
  await customers.forgetAddress("hal");
  expect(await customers.addressInUse("hal")).toBeUndefined();
});

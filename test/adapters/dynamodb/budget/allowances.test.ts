import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import { openTableAccounting, type TableAccounting } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterAll(() => table.close());

const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
const draw = (ownerSub: string, need: number, of = key, spent = 0) =>
  table.spending.draw({ ownerSub, need, key: of, trialCap: 1_000, spent });

test("a slice of the allowance is recorded on the owner's row and on the caller's item, where the meter finds it", async () => {
  expect(await draw("ada", 100)).toEqual({ drawn: true, slice: 105 });
  expect(await table.allowances.read("ada")).toEqual({ drawn: 105, paid: 0, settled: 0 });
  expect(await table.itemOf(key)).toMatchObject({ allowance: 105, allowance_of: "ada", gsi2_sk: "t1#dev" });
  expect(await table.of(key)).toMatchObject({ allowance: 105, allowanceOf: "ada", committed: 0 });
});

test("a caller's first slice starts at the amount spent before, and further slices add to it; the amount spent before is neither given back nor owed", async () => {
  const of = { ...key, callerId: "paid before" };
  await table.put({
    ...spendingRecord.key({ tenant_id: of.tenantId, caller_id: of.callerId, month: of.month }),
    spent: 400,
    committed: 400,
  });
  await draw("gil", 100, of, 400);
  expect(await table.of(of)).toMatchObject({ allowance: 505, committed: 400 });
  await draw("gil", 100, of, 450);
  expect((await table.of(of)).allowance).toBe(610);
  expect((await table.allowances.read("gil")).drawn).toBe(210);
  await table.allowances.takeBack(of, await table.of(of));
  expect([(await table.of(of)).allowance, (await table.allowances.read("gil")).drawn]).toEqual([400, 0]);
});

test("simultaneous draws on an allowance never exceed its limit, and a refused draw returns the rest", async () => {
  const callers = Array.from({ length: 20 }, (_, n) => ({ ...key, callerId: `c${n}` }));
  const drawn = await Promise.all(callers.map((of) => draw("bea", 95, of)));
  expect(drawn.filter((one) => one.drawn)).toHaveLength(10);
  expect(await table.allowances.read("bea")).toEqual({ drawn: 1_000, paid: 0, settled: 0 });
  expect(await draw("bea", 1)).toEqual({ drawn: false, left: 0 });
});

test("a slice whose answer was lost is reported as drawn if it is stored, and otherwise as not drawn", async () => {
  const of = { ...key, callerId: "unlucky" };
  table.strike({ operation: "UpdateItem", match: "SPENDING#", when: "after", kind: "error" });
  expect(await draw("cleo", 100, of)).toMatchObject({
    drawn: true,
    slice: 105,
    problem: { code: "store_unavailable" },
  });
  table.strike();
  expect([(await table.of(of)).allowance, (await table.allowances.read("cleo")).drawn]).toEqual([105, 105]);
});

test("unused slices are given back to the owner's row, unless the caller's state has changed", async () => {
  const of = { ...key, callerId: "back" };
  await draw("dora", 100, of);
  const seen = await table.of(of);
  await draw("dora", 100, of);
  await table.allowances.takeBack(of, seen);
  expect((await table.allowances.read("dora")).drawn).toBe(210);
  await table.allowances.takeBack(of, await table.of(of));
  expect([(await table.of(of)).allowance, (await table.allowances.read("dora")).drawn]).toEqual([0, 0]);
});

test("a tenant's callers draw on its owner's allowance while it is in the first tier", async () => {
  await draw("eve", 100);
  await table.put({ ...tenantRecord.key({ tenant_id: "starter" }), owner_sub: "eve", tier: "starter" });
  await table.put({ ...tenantRecord.key({ tenant_id: "known" }), owner_sub: "eve", tier: "pro" });
  await table.put({ ...tenantRecord.key({ tenant_id: "new" }), owner_sub: "fay", tier: "starter" });
  const owners = ["starter", "known", "new", "none"].map((id) => table.allowances.ownerOf(id));
  expect(await Promise.all(owners)).toEqual(["eve", undefined, undefined, undefined]);
});

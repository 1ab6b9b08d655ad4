// Slots of an owner's workspaces: each workspace has another number, the lowest that is free.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { slotStore } from "../../../../adapters/dynamodb/provisioning/slots.ts";
import { tenantRemains } from "../../../../adapters/dynamodb/provisioning/tenant-remains.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { ownedTenantsRecord } from "../../../../adapters/dynamodb/workspace/owned-tenants.record.ts";
import { slotAttribute, tenantAttribute } from "../../../../adapters/dynamodb/workspace/owned-tenants.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import type { SlotStore } from "../../../../domain/provisioning/billing-setup.ts";
import type { Tenant } from "../../../../domain/workspace/tenant.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { untilTold } from "../../../support/dynamodb/until-told.ts";
import { memoryClient } from "../../../support/memory-dynamodb/document-client.ts";
import { MemoryTable } from "../../../support/memory-dynamodb/memory-table.ts";
import { aTenantOf } from "../../../support/people/tenants.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let slots: SlotStore;
beforeAll(async () => {
  opened = await openStores();
  slots = slotStore(rowsOf(opened.document, tableName));
});
afterAll(() => opened.close());

const create = (owner: string, id: string): Promise<Tenant> =>
  opened.stores.tenantEffects("console").tenant_row(aTenantOf(owner, id));

test("each workspace of an owner has a different billing slot, even with simultaneous requests, and keeps it", async () => {
  const tenants = await Promise.all(["a1", "a2", "a3", "a4"].map((id) => create("ann", id)));
  const claimed = await Promise.all([...tenants, ...tenants].map((tenant) => untilTold(() => slots.claim(tenant))));
  expect(claimed.slice(0, 4).toSorted()).toEqual([1, 2, 3, 4]);
  expect(claimed.slice(4)).toEqual(claimed.slice(0, 4));
  expect((await opened.stores.tenants.get("a3"))?.billing_slot).toBe(claimed[2]);
});

test("a workspace gets the lowest free billing slot", async () => {
  const others = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(others, async (taken) => {
      const table = new MemoryTable();
      const tenant = aTenantOf("eve", "e0");
      const places = taken.flatMap((slot) => [
        [slotAttribute(slot), `e${slot}`],
        [tenantAttribute(`e${slot}`), tenant.created_at],
      ]);
      table.put({ ...tenantRecord.key({ tenant_id: "e0" }), tenant_id: "e0", owner_sub: "eve" });
      const own = { [tenantAttribute("e0")]: tenant.created_at, ...Object.fromEntries(places) };
      table.put({ ...ownedTenantsRecord.key({ owner_sub: "eve" }), owned: taken.length + 1, ...own });
      const slot = await slotStore(rowsOf(memoryClient(table), "main")).claim(tenant);
      expect(slot).toBe([1, 2, 3, 4, 5, 6, 7, 8].find((one) => !taken.includes(one)));
      expect(table.get(ownedTenantsRecord.key({ owner_sub: "eve" }))?.[slotAttribute(slot)]).toBe("e0");
    }),
    { numRuns: 200 },
  );
});

test("billing slots of different owners are independent", async () => {
  expect(await slots.claim(await create("bob", "b1"))).toBe(1);
  expect(await slots.claim(await create("cat", "c1"))).toBe(1);
});

test("a removed tenant gets no billing slot", async () => {
  await expect(slots.claim({ tenant_id: "nobody", owner_sub: "bob" })).rejects.toThrow("not among its owner's");
});

test("a billing slot becomes free once, when its tenant's place does, and is not taken from a later holder", async () => {
  const first = await create("dan", "d1");
  expect([await slots.claim(first), await slots.claim(await create("dan", "d2"))]).toEqual([1, 2]);
  const { created_at } = first;
  const gone = { ...first, billing_slot: 1, status: "deleted", deleted_at: created_at } as const;
  const purge = () => tenantRemains(rowsOf(opened.document, tableName)).remove(gone, Date.parse(created_at));
  await purge();
  expect(await slots.claim(await create("dan", "d3"))).toBe(1);
  // A purge that was cut off goes on.
  await purge();
  expect(await slots.claim(await create("dan", "d4"))).toBe(3);
});

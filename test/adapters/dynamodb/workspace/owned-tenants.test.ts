import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { tenantRemains } from "../../../../adapters/dynamodb/provisioning/tenant-remains.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { ownedTenantsRecord } from "../../../../adapters/dynamodb/workspace/owned-tenants.record.ts";
import { ownedTenants } from "../../../../adapters/dynamodb/workspace/owned-tenants.ts";
import type { OwnedTenants } from "../../../../domain/workspace/owned-tenants.ts";
import type { Tenant } from "../../../../domain/workspace/tenant.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { untilTold } from "../../../support/dynamodb/until-told.ts";
import { aTenantOf } from "../../../support/people/tenants.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let owned: OwnedTenants;
beforeAll(async () => {
  opened = await openStores();
  owned = ownedTenants(rowsOf(opened.document, tableName));
});
afterAll(() => opened.close());

const create = (owner: string, ...ids: string[]): Promise<Tenant[]> =>
  Promise.all(ids.map((id) => opened.stores.tenantEffects("console").tenant_row(aTenantOf(owner, id))));

test("an owner's tenants are listed", async () => {
  await create("ann", "a1", "a2");
  expect((await owned.of("ann")).toSorted()).toEqual(["a1", "a2"]);
  expect(await owned.of("nobody")).toEqual([]);
});

test("of several tenants released at the same time one is reported as the last, also when it is repeated", async () => {
  const tenants = await create("bob", "b1", "b2", "b3");
  const isLast = await Promise.all(tenants.map((tenant) => untilTold(() => owned.release(tenant))));
  expect(isLast.toSorted()).toEqual([false, false, true]);
  expect(await owned.of("bob")).toEqual([tenants[isLast.indexOf(true)]?.tenant_id]);
  for (const [index, tenant] of tenants.entries()) expect(await owned.release(tenant)).toBe(isLast[index]);
});

test("an owner who loses the last tenant cannot open another until its purge has ended", async () => {
  const [tenant] = (await create("cat", "c1")) as [Tenant];
  await owned.release(tenant);
  await expect(create("cat", "c2")).rejects.toMatchObject({
    code: "purge_running",
    message: expect.stringContaining("try again in a few minutes"),
  });
  const deleted = { ...tenant, status: "deleted", deleted_at: tenant.created_at } as const;
  await tenantRemains(rowsOf(opened.document, tableName)).remove(deleted, Date.parse(tenant.created_at));
  await create("cat", "c2");
  expect(await owned.of("cat")).toEqual(["c2"]);
  expect(await rowsOf(opened.document, tableName).get(ownedTenantsRecord.key({ owner_sub: "cat" }))).toMatchObject({
    owned: 1,
  });
});

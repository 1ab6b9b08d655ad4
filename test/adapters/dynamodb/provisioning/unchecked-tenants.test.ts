import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { uncheckedTenants } from "../../../../adapters/dynamodb/provisioning/unchecked-tenants.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { directoryRecord } from "../../../../adapters/dynamodb/workspace/directory.record.ts";
import type { UncheckedTenants } from "../../../../domain/provisioning/setup-completion.ts";
import type { Tenant } from "../../../../domain/workspace/tenant.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let tenants: UncheckedTenants;
let tenant: Tenant;
let count = 0;
beforeAll(async () => {
  opened = await openStores();
  tenants = uncheckedTenants(rowsOf(opened.document, tableName));
});
afterAll(() => opened.close());
beforeEach(async () => {
  count += 1;
  tenant = await opened.stores.tenantEffects("console").tenant_row({
    tenant_id: `t${count}`,
    name: `T${count}`,
    slug: `slug-${count}`,
    owner_sub: `owner-${count}`,
    tier: "starter",
    status: "active",
    has_payment_method: false,
    default_region: "eu-central-1",
    created_at: `2026-11-21T05:00:0${count % 10}.000Z`,
    setup_state: { pending: ["kms_key", "membership"] },
  });
});

const item = async (Key: object) =>
  (await opened.document.send(new GetCommand({ TableName: tableName, Key: Key as Record<string, string> }))).Item;

async function unchecked(until: string): Promise<string[]> {
  const found: string[] = [];
  for await (const id of tenants.unchecked(until)) found.push(id);
  return found;
}

test("a new tenant is listed for the reconciliation once it is old enough, until it was checked", async () => {
  const { tenant_id, created_at } = tenant;
  expect(await unchecked("2026-11-21T04:59:59.999Z")).toEqual([]);
  expect(await unchecked(created_at)).toContain(tenant_id);
  await tenants.checked(tenant_id);
  await tenants.checked(tenant_id);
  expect(await unchecked("2027")).not.toContain(tenant_id);
  expect(await item(directoryRecord.key({ tenant_id }))).toMatchObject({ tenant_id, gsi1_pk: "STATUS#active" });
});

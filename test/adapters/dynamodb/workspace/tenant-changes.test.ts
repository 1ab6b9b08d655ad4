import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { auditRecord } from "../../../../adapters/dynamodb/workspace/audit.record.ts";
import { slugReservationRecord } from "../../../../adapters/dynamodb/workspace/slug-reservation.record.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../../domain/workspace/tenant.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

async function create(tenant_id: string, slug: string): Promise<Tenant> {
  return opened.stores.tenantEffects("console").tenant_row({
    tenant_id,
    name: slug,
    slug,
    owner_sub: tenant_id,
    tier: "starter",
    status: "active",
    has_payment_method: false,
    default_region: "eu-central-1",
    created_at: "2026-11-21T05:00:00.000Z",
    setup_state: { pending: ["membership"] },
  });
}

const write = (before: Tenant, changes: Partial<Tenant>, id: string) => {
  const { tenant_id } = before;
  const change = { tenant_id, actor: "ann", action: "tenant.update", target: tenant_id } as const;
  const entry = auditEntry(change, { id, now: Date.parse("2026-11-21T06:00:00.000Z") });
  return opened.stores.tenantChanges.write(before, { ...before, ...changes }, entry);
};

async function partition(pk: string) {
  const KeyConditionExpression = "pk = :pk";
  const ExpressionAttributeValues = { ":pk": pk };
  const query = { TableName: tableName, KeyConditionExpression, ExpressionAttributeValues };
  return (await opened.document.send(new QueryCommand(query))).Items ?? [];
}
const entries = async (tenantId: string) =>
  (await partition(auditRecord.range({ trail: tenantId, at: "2026-11" }).pk)).map(({ audit_id }) => audit_id);

test("a change of a tenant is written with its audit entry, and leaves attributes of other writers unchanged", async () => {
  const tenant = await create("c1", "changes");
  expect(await write(tenant, { name: "Changes!", has_payment_method: true, setup_state: { pending: [] } }, "e1")).toBe(
    "written",
  );
  expect(await opened.stores.tenants.get("c1")).toEqual({ ...tenant, name: "Changes!", version: 1 });
  expect(await entries("c1")).toEqual(["c1", "e1"]);
});

test("a change of a tenant at an outdated version is not written, nor is its audit entry", async () => {
  const tenant = await create("c2", "stale");
  await write(tenant, { name: "Stale 1" }, "e1");
  expect(await write(tenant, { name: "Stale 2" }, "e2")).toBe("stale");
  expect(await write({ ...tenant, tenant_id: "none" }, { name: "Stale 3" }, "e3")).toBe("stale");
  expect(await entries("c2")).toEqual(["c2", "e1"]);
});

test("a slug that another tenant holds cannot be taken, and the tenant keeps its own", async () => {
  const tenant = await create("c3", "third");
  await create("c4", "fourth");
  expect(await write(tenant, { slug: "fourth" }, "e1")).toBe("taken");
  expect(await partition(slugReservationRecord.key({ slug: "third" }).pk)).toMatchObject([{ tenant_id: "c3" }]);
  expect((await opened.stores.tenants.getBySlug("third"))?.tenant_id).toBe("c3");
});

test("an attribute that the new state of a tenant lacks is removed", async () => {
  const tenant = await create("c5", "fifth");
  await write(tenant, { monthly_cap_usd: 5 }, "e1");
  const capped = (await opened.stores.tenants.get("c5")) as Tenant;
  const { monthly_cap_usd: _cap, ...uncapped } = capped;
  expect(await write(capped, { ...uncapped, monthly_cap_usd: undefined } as Partial<Tenant>, "e2")).toBe("written");
  expect(await opened.stores.tenants.get("c5")).toEqual({ ...uncapped, version: 2 });
});

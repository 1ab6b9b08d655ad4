import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { connectorClientRecord } from "../../../../adapters/dynamodb/access/app-client.record.ts";
import { connectorRegistrations, gatewayLeases, gatewayStore } from "../../../../adapters/dynamodb/mcp/gateways.ts";
import { type Rows, rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { auditRecord } from "../../../../adapters/dynamodb/workspace/audit.record.ts";
import type { GatewayStore } from "../../../../domain/mcp/gateway.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let rows: Rows;
let store: GatewayStore;
let tenantId: string;
let count = 0;
beforeAll(async () => {
  opened = await openStores();
  rows = rowsOf(opened.document, tableName);
  store = gatewayStore(rows);
});
afterAll(() => opened.close());
beforeEach(() => {
  count += 1;
  tenantId = `t${count}`;
});

const at = "2026-11-23T10:00:00.000Z";
const entry = () =>
  auditEntry(
    { tenant_id: tenantId, actor: "owner", action: "mcp_gateway.create", target: tenantId },
    { id: `e${count}`, now: Date.parse(at) },
  );
const begin = () =>
  store.begin({ tenant_id: tenantId, state: "creating", created_at: at }, "2026-11-23T10:05:00.000Z", entry());

async function due(until: string): Promise<string[]> {
  const found: string[] = [];
  for await (const id of store.due(until)) found.push(id);
  return found;
}

describe("the record of a gateway", () => {
  test("the record of a gateway is created once, with its audit entry, and updated attribute by attribute", async () => {
    expect(await store.get(tenantId)).toBeUndefined();
    await begin();
    await expect(begin()).rejects.toThrow("there already");
    await store.change(tenantId, { client_id: "c", reason: "why" });
    await store.change(tenantId, { state: "ready", reason: undefined });
    expect(await store.get(tenantId)).toEqual({ tenant_id: tenantId, state: "ready", created_at: at, client_id: "c" });
    expect((await rows.all({ pk: auditRecord.range({ trail: tenantId, at: "2026-11" }).pk })).length).toBe(1);
  });

  test("the record of a gateway is listed from the time when it needs work until the work is done", async () => {
    await begin();
    expect(await due("2026-11-23T10:04:59.999Z")).not.toContain(tenantId);
    expect(await due("2026-11-23T10:05:00.000Z")).toContain(tenantId);
    await store.change(tenantId, {}, "2026-11-24T00:00:00.000Z");
    expect(await due("2026-11-23T23:59:59.999Z")).not.toContain(tenantId);
    await store.change(tenantId, {}, null);
    expect(await due("2027-01-01T00:00:00.000Z")).not.toContain(tenantId);
  });

  test("a deleted record of a gateway is not written again by a late change", async () => {
    await begin();
    await store.remove(tenantId);
    await expect(store.change(tenantId, { state: "ready" })).rejects.toThrow("is gone");
    expect(await store.get(tenantId)).toBeUndefined();
  });
});

test("one run at a time has the lease of a gateway, until it releases the lease or the lease expires", async () => {
  const leases = gatewayLeases(rows);
  expect(await leases.take(tenantId, { now: 0, until: 100 })).toBe(true);
  expect(await leases.take(tenantId, { now: 50, until: 150 })).toBe(false);
  expect(await leases.take(tenantId, { now: 101, until: 200 })).toBe(true);
  // The first one is late: the lease is another's.
  await leases.release(tenantId, 100);
  expect(await leases.take(tenantId, { now: 150, until: 250 })).toBe(false);
  await leases.release(tenantId, 200);
  expect(await leases.take(tenantId, { now: 150, until: 250 })).toBe(true);
});

test("a connector's app client is stored with its gateway's workspace, until it is removed", async () => {
  const registrations = connectorRegistrations(rows);
  await registrations.put("c1", tenantId);
  expect(await rows.get(connectorClientRecord.key({ client_id: "c1" }))).toMatchObject({
    client_id: "c1",
    use: "connector",
    tenant_id: tenantId,
  });
  await registrations.remove("c1");
  expect(await rows.get(connectorClientRecord.key({ client_id: "c1" }))).toBeUndefined();
});

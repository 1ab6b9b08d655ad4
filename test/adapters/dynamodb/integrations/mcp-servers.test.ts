import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { dayMs } from "../../../../domain/kernel/period.ts";
import { openStores } from "../../../support/dynamodb/stores.ts";
import { aServer } from "../../../support/mcp/mcp-server-world.ts";
import { anEntry } from "../../../support/people/api-keys.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

const entry = () => anEntry({ action: "mcp_server.update" });

test("an integration is stored, and each version follows the previous one", async () => {
  const { mcpServers } = opened.stores;
  expect(await mcpServers.put(aServer(), entry())).toBe(true);
  expect(await mcpServers.get("t1", "srv_1")).toEqual(aServer());
  expect(await mcpServers.put(aServer(), entry())).toBe(false);
  expect(await mcpServers.put(aServer({ version: 3 }), entry())).toBe(false);
  expect(await mcpServers.put(aServer({ version: 2 }), entry())).toBe(true);
});

test("an integration's name is reserved in its workspace until the integration is removed", async () => {
  const { mcpServers } = opened.stores;
  const second = aServer({ server_id: "srv_2" });
  expect(await mcpServers.put(second, entry())).toBe(false);
  expect(await mcpServers.put({ ...second, tenant_id: "t2" }, entry())).toBe(true);
  expect(await mcpServers.wasRemoved("t1", "srv_1")).toBe(false);
  await mcpServers.remove(aServer(), 0);
  expect(await mcpServers.get("t1", "srv_1")).toBeUndefined();
  expect([await mcpServers.wasRemoved("t1", "srv_1"), await mcpServers.wasRemoved("t2", "srv_1")]).toEqual([
    true,
    false,
  ]);
  expect(await mcpServers.put(second, entry())).toBe(true);
});

test("the mark of a removed integration keeps the owner's rules until the mark expires, or until the owner ends them", async () => {
  const { mcpServers } = opened.stores;
  const ruled = aServer({ tenant_id: "t5", owner_rules: { owners_only: ["feed"] } });
  const left = { server_id: "srv_1", name: "pets", hosts: ["mcp.example.com"], owner_rules: { owners_only: ["feed"] } };
  await mcpServers.put(ruled, entry());
  await mcpServers.remove(ruled, 0);
  await mcpServers.remove(aServer({ tenant_id: "t5", server_id: "srv_2" }), 0);
  expect(await mcpServers.leftRules("t5", 30 * dayMs - 1)).toEqual([left]);
  expect(await mcpServers.leftRules("t5", 30 * dayMs)).toEqual([]);
  expect(await mcpServers.leftRules("t6", 0)).toEqual([]);
  await mcpServers.endLeftRules("t5", "srv_1");
  expect(await mcpServers.leftRules("t5", 0)).toEqual([]);
  expect(await mcpServers.wasRemoved("t5", "srv_1")).toBe(true);
  await mcpServers.endLeftRules("t5", "srv_9");
  expect(await mcpServers.wasRemoved("t5", "srv_9")).toBe(false);
});

test("an integration's progress is written only on the expected version, and an undefined value removes the attribute", async () => {
  const { mcpServers } = opened.stores;
  const server = { tenant_id: "t1", server_id: "srv_2" };
  expect(await mcpServers.change(server, { state: "failed", reason: "no" }, 7)).toBe(false);
  expect(await mcpServers.change(server, { state: "failed", reason: "no" }, 1)).toBe(true);
  expect(await mcpServers.change(server, { state: "ready", reason: undefined })).toBe(true);
  expect(await mcpServers.get("t1", "srv_2")).toEqual(aServer({ server_id: "srv_2", state: "ready" }));
  expect(await mcpServers.change({ ...server, server_id: "srv_9" }, { state: "ready" })).toBe(false);
});

test("lists of integrations come in pages and hold only integrations", async () => {
  const { mcpServers } = opened.stores;
  for (const id of ["srv_a", "srv_b", "srv_c"]) {
    await mcpServers.put(aServer({ tenant_id: "t3", server_id: id, name: id.replace("_", "-") }), entry());
  }
  const first = await mcpServers.list("t3", { limit: 2, after: undefined });
  expect(first.items.map(({ server_id }) => server_id)).toEqual(["srv_a", "srv_b"]);
  const second = await mcpServers.list("t3", { limit: 2, after: first.next });
  expect([second.items.map(({ server_id }) => server_id), second.next]).toEqual([["srv_c"], undefined]);
  expect(await mcpServers.all("t3")).toHaveLength(3);
});

test("an integration that is still worked on is listed by the time when the work began, until it is done", async () => {
  const { mcpServers } = opened.stores;
  const due = async (before: string) => {
    const found: string[] = [];
    for await (const { tenant_id, server_id } of mcpServers.due(before)) {
      if (tenant_id === "t4") found.push(server_id);
    }
    return found;
  };
  const server = aServer({ tenant_id: "t4", server_id: "srv_due", updated_at: "2026-11-23T13:00:00.000Z" });
  await mcpServers.put(server, entry());
  expect(await due("2026-11-23T12:59:59.000Z")).toEqual([]);
  expect(await due("2026-11-23T13:00:01.000Z")).toEqual(["srv_due"]);
  await mcpServers.change(server, { gateway_target_id: "T1" });
  expect(await due("2026-11-23T13:00:01.000Z")).toEqual(["srv_due"]);
  await mcpServers.change(server, { state: "ready" });
  expect(await due("2026-11-23T13:00:01.000Z")).toEqual([]);
  await mcpServers.put({ ...server, state: "deleting", version: 2 }, entry());
  expect(await due("2026-11-23T13:00:01.000Z")).toEqual(["srv_due"]);
});

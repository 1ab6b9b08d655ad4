import { expect, test } from "@jest/globals";
import { ownRedirectStore } from "../../../../adapters/dynamodb/connectors/own-redirects.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import { memoryClient } from "../../../support/memory-dynamodb/document-client.ts";
import { MemoryTable } from "../../../support/memory-dynamodb/memory-table.ts";

test("a workspace's own addresses are replaced as a whole, each time with an entry of the audit trail", async () => {
  const table = new MemoryTable();
  const store = ownRedirectStore(rowsOf(memoryClient(table), "main"));
  const entry = (id: string) => {
    const change = { tenant_id: "t1", actor: "ann", action: "mcp_gateway.update", target: "t1" } as const;
    return auditEntry(change, { id, now: Date.UTC(2026, 10, 28) });
  };
  expect(await store.of("t1")).toEqual([]);
  await store.put("t1", ["https://a.example/", "https://b.example/"], entry("1"));
  await store.put("t1", ["https://c.example/"], entry("2"));
  expect([await store.of("t1"), await store.of("t2")]).toEqual([["https://c.example/"], []]);
  expect([...table.items].filter(({ action }) => action === "mcp_gateway.update")).toHaveLength(2);
});

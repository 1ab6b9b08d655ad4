import { beforeEach, expect, test } from "@jest/globals";
import { refreshFamilies } from "../../../../adapters/dynamodb/connectors/refresh-families.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { RefreshFamilies } from "../../../../domain/connectors/refresh-family.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import { memoryClient } from "../../../support/memory-dynamodb/document-client.ts";
import { MemoryTable } from "../../../support/memory-dynamodb/memory-table.ts";

const since = Date.UTC(2026, 10, 28);
const until = since + 30 * 86_400_000;
const family = { tenant_id: "t1", family_id: "f1", generation: 2, since };

let table: MemoryTable;
let families: RefreshFamilies;
beforeEach(() => {
  table = new MemoryTable();
  families = refreshFamilies(rowsOf(memoryClient(table), "main"));
});

const noteStale = (at: string) => {
  const change = { tenant_id: "t1", actor: "ann", action: "connector.stale_token", target: "ann" } as const;
  return families.noteStale("t1", "f1", at, auditEntry(change, { id: at, now: since }));
};

test("a family has no row until its first generation is replaced, and its row goes a day after the sign-in's end", async () => {
  expect(await families.get("t1", "f1")).toBeUndefined();
  await families.begin(family, until);
  expect(await families.get("t1", "f1")).toEqual(family);
  expect([...table.items]).toEqual([expect.objectContaining({ expires_at: until / 1_000 + 86_400 })]);
});

test("of several programs that replace one generation the first counts", async () => {
  await families.begin(family, until);
  await families.begin({ ...family, since: since + 5 }, until);
  await families.begin({ ...family, generation: 3, since: since + 9 }, until);
  await families.begin(family, until);
  expect(await families.get("t1", "f1")).toEqual({ ...family, generation: 3, since: since + 9 });
});

test("an old copy is noted once, with one entry of the audit trail, and stays noted", async () => {
  await families.begin(family, until);
  await noteStale("2026-11-28T01:00:00.000Z");
  await noteStale("2026-11-28T02:00:00.000Z");
  await families.begin({ ...family, generation: 3 }, until);
  expect(await families.get("t1", "f1")).toMatchObject({ stale_seen_at: "2026-11-28T01:00:00.000Z", generation: 3 });
  expect([...table.items].filter(({ action }) => action === "connector.stale_token")).toHaveLength(1);
});

import { beforeEach, expect, test } from "@jest/globals";
import { signOutStore } from "../../../../adapters/dynamodb/access/sign-outs.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { SignOutStore } from "../../../../domain/access/sign-out.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import { memoryClient } from "../../../support/memory-dynamodb/document-client.ts";
import { MemoryTable } from "../../../support/memory-dynamodb/memory-table.ts";

const at = Date.parse("2026-11-23T10:00:00.700Z");

let table: MemoryTable;
let signOuts: SignOutStore;
beforeEach(() => {
  table = new MemoryTable();
  signOuts = signOutStore(rowsOf(memoryClient(table), "main"));
});

test("a person who never signed out everywhere has no time of a sign-out", async () => {
  expect(await signOuts.of("ann")).toBeUndefined();
});

test("the latest time of a person's sign-outs is kept for 31 days, in whatever order they are written", async () => {
  for (const time of [at, at + 1, at - 1]) await signOuts.put("ann", time);
  expect(await signOuts.of("ann")).toBe(at + 1);
  expect(await signOuts.of("ben")).toBeUndefined();
  expect([...table.items]).toEqual([
    {
      pk: "SIGNOUT#ann",
      sk: "SIGNOUT",
      sub: "ann",
      signed_out_at: "2026-11-23T10:00:00.701Z",
      expires_at: Math.floor(at / 1000) + 31 * 86_400,
    },
  ]);
});

test("a sign-out is written with its audit entries, unless a later sign-out is stored already", async () => {
  const entry = auditEntry(
    { tenant_id: "t1", actor: "ann", action: "user.sign_out", target: "ann" },
    { id: "e1", now: at },
  );
  await signOuts.put("ann", at, [entry]);
  await signOuts.put("ann", at - 1, [{ ...entry, audit_id: "e2" }]);

  const entries = [...table.items].filter(({ pk }) => String(pk).startsWith("AUDIT#"));
  expect(entries).toMatchObject([{ action: "user.sign_out", tenant_id: "t1" }]);
  expect(await signOuts.of("ann")).toBe(at);
});

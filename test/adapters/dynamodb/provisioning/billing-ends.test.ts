import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { billingEndStore } from "../../../../adapters/dynamodb/provisioning/billing-ends.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { auditRecord } from "../../../../adapters/dynamodb/workspace/audit.record.ts";
import { auditEntry, platformTrail } from "../../../../domain/workspace/audit.ts";
import { openTableAccounting, type TableAccounting, tableName } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterAll(() => table.close());

const at = "2026-11-21T05:00:00.000Z";
const later = "2026-11-21T06:00:00.000Z";

test("the first stored times of the steps that end a workspace's billing are kept", async () => {
  const ends = billingEndStore(rowsOf(table.document, tableName));
  expect(await ends.of("t1")).toEqual({ isTried: false, cancelledAt: undefined, endedAt: undefined });
  await ends.cancelled("t1", at);
  await ends.cancelled("t1", later);
  await ends.ended("t1", later, undefined);
  expect(await ends.of("t1")).toEqual({ isTried: false, cancelledAt: at, endedAt: later });
});

test("an end of billing that is left to people is recorded in the audit trail", async () => {
  const ends = billingEndStore(rowsOf(table.document, tableName));
  const change = { tenant_id: platformTrail, actor: "provision", action: "billing.owed", target: "t2" } as const;
  const entry = auditEntry({ ...change, after: { micro_usd: 7 } }, { id: "e1", now: Date.parse(at) });
  await ends.ended("t2", at, entry);
  expect((await ends.of("t2")).endedAt).toBe(at);
  expect(await table.read(auditRecord.key({ trail: platformTrail, at, audit_id: "e1" }))).toMatchObject(entry);
});

import { expect, test } from "@jest/globals";
import { auditPut } from "../../../../adapters/dynamodb/workspace/audit.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";

test("an audit entry is stored by tenant, month and time, for 25 months", () => {
  const now = Date.parse("2026-11-21T05:00:00.000Z");
  const change = { tenant_id: "t1", actor: "ann", action: "grant.put", target: "bob" } as const;
  const entry = auditEntry({ ...change, after: { monthly_budget_usd: 5 } }, { id: "e1", now });
  expect(auditPut(entry)).toEqual({
    Put: {
      Item: {
        pk: "AUDIT#t1#2026-11",
        sk: "2026-11-21T05:00:00.000Z#e1",
        ...entry,
        expires_at: now / 1000 + 25 * 31 * 24 * 3600,
      },
    },
  });
});

// Reads the spending of many callers of a tenant at once, as the control plane shows it.
import type { SpendingReader } from "../../../domain/budget/spending.ts";
import type { Rows } from "../rows.ts";
import { spendingRecord } from "./spending.record.ts";
import { spendingOf } from "./spending-expressions.ts";

export function spendingReader(rows: Rows): SpendingReader {
  return {
    async of(tenantId, callerIds, month) {
      const keyOf = (callerId: string) => spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month });
      const item = await rows.wholeBatch(callerIds.map(keyOf));
      return (callerId) => spendingOf(item(keyOf(callerId)));
    },
  };
}

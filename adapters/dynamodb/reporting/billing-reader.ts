// A workspace's billing as the table has it: its free credit and its total.
import type { BillingReader } from "../../../domain/reporting/billing-reader.ts";
import { creditReader } from "../budget/credits.ts";
import type { Rows } from "../rows.ts";
import { billingTotals } from "./billing-totals.ts";

export function billingReader(rows: Rows): BillingReader {
  return {
    async credit(tenantId) {
      const { granted, spent, committed } = await creditReader(rows).get(tenantId);
      return { granted, spent, committed };
    },
    total: billingTotals(rows).get,
  };
}

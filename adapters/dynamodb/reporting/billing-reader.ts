// A workspace's billing as the table has it: its free credit and its total.
import type { CreditReader } from "../../../domain/metering/credit-draw.ts";
import type { BillingReader } from "../../../domain/reporting/billing-reader.ts";
import type { Rows } from "../rows.ts";
import { billingTotals } from "./billing-totals.ts";

export function billingReader(rows: Rows, credits: CreditReader): BillingReader {
  return {
    async credit(tenantId) {
      const { granted, spent, committed } = await credits.get(tenantId);
      return { granted, spent, committed };
    },
    total: billingTotals(rows).get,
  };
}

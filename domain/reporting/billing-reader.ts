// A workspace's billing as the control plane shows it: its free credit, and what it was billed.
import type { BillingTotals } from "./billing-total.ts";

export interface BillingReader {
  /** The tenant's free credit, in tokens. */
  credit(tenantId: string): Promise<{ granted: number; spent: number; committed: number }>;
  total: BillingTotals["get"];
}

// The free credit of a workspace and what of its closed hours is not reported yet, as the control plane shows them.
import type { NanoUsd } from "../money.ts";

export interface BillingReader {
  /** In tokens. */
  credit(tenantId: string): Promise<{ granted: number; spent: number }>;
  /** Of closed hours in these months, at list price, without what free credit has paid. */
  unreported(tenantId: string, months: readonly string[]): Promise<NanoUsd>;
}

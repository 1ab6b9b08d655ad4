// A workspace's billing as the control plane shows it: its free credit, and how much of its usage is reported.

import type { MicroUsd } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { OpenBalance } from "./reversal.ts";

export interface BillingReader {
  /** In tokens. */
  credit(tenantId: string): Promise<{ granted: number; spent: number }>;
  /** Sum of the unsent reports of these months, at list price, without what free credit paid. */
  unreported(tenantId: string, months: readonly string[]): Promise<NanoUsd>;
  /** Sum of the month's events that the provider has taken, with the markup. */
  reported(tenantId: string, month: string): Promise<MicroUsd>;
  /** What the next event bills besides its own hour. */
  openBalance(tenantId: string): Promise<OpenBalance>;
}

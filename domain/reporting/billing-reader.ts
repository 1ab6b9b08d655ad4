// What the table knows of a workspace's billing, as the control plane shows it: its free credit, and how far its usage is reported.

import type { MicroUsd } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { Kept } from "./taking-back.ts";

export interface BillingReader {
  /** In tokens. */
  credit(tenantId: string): Promise<{ granted: number; spent: number }>;
  /** Of closed hours in these months, at list price, without what free credit has paid. */
  unreported(tenantId: string, months: readonly string[]): Promise<NanoUsd>;
  /** Of events stamped in the month, which the provider has taken: the markup is in it. */
  reported(tenantId: string, month: string): Promise<MicroUsd>;
  /** What the next event bills besides its hour. */
  kept(tenantId: string): Promise<Kept>;
}

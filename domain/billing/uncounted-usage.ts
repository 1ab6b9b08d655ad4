// Usage that the payment provider took and cannot count: it tells so by an event, with samples.
import type { PaymentEventDetails } from "./payment-event.ts";

export interface UncountedUsage {
  /** Twice does no harm. */
  found(uncounted: PaymentEventDetails["uncounted"], event: { id: string; type: string }): Promise<void>;
}

/** Where acceptance turns out to be no aggregation. */
export const uncountedEvents: readonly string[] = [
  "v1.billing.meter.error_report_triggered",
  "v1.billing.meter.no_meter_found",
];

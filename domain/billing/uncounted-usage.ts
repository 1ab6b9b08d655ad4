// What the provider says later of events that it took: some of them were not counted. It names samples only; all others are
// found by the look at the summary, which every report gets.
import type { Log } from "../log.ts";
import type { BillingTelemetry } from "./billing-telemetry.ts";
import { hourOfEvent, type UsageOutbox } from "./usage-outbox.ts";

/** `v1.billing.meter.error_report_triggered` and `v1.billing.meter.no_meter_found`, as far as they matter here. */
export type UncountedUsage = {
  /** The provider's event. */
  eventId: string;
  /** The provider's codes, e.g. `no_meter`, `meter_event_customer_not_found`. */
  codes: string[];
  /** Of the events that it names. */
  identifiers: string[];
};

export type UncountedUsageDependencies = {
  outbox: Pick<UsageOutbox, "doubt">;
  telemetry: BillingTelemetry;
  log: Log;
};

/** The reports are open again: after a day the summary is read, then the same event is sent. A repeat does no harm. */
export async function handleUncountedUsage(
  { outbox, telemetry, log }: UncountedUsageDependencies,
  { eventId, codes, identifiers }: UncountedUsage,
): Promise<void> {
  log.problem("The payment provider did not count usage", { event_id: eventId, codes });
  if (identifiers.length === 0) telemetry.unbilled("not_counted", {});
  for (const identifier of identifiers) {
    const named = hourOfEvent(identifier);
    if (!named || !(await outbox.doubt(identifier))) {
      log.problem("Usage that was not counted is no open report of ours", { event_id: eventId });
      continue;
    }
    telemetry.unbilled("not_counted", { tenant_id: named.tenantId, hour: named.hour });
  }
}

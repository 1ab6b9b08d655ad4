// Uncounted usage: the payment provider says that it took events and cannot count them. Its message names samples only; every other
// event is found when its hour's summary is read, as for each report.
import type { BillingTelemetry } from "../billing/billing-telemetry.ts";
import type { PaymentEventDetails } from "../billing/payment-event.ts";
import type { Log } from "../kernel/log.ts";
import { hourOfEvent, type UsageOutbox } from "./usage-outbox.ts";

export type UncountedUsageDependencies = {
  outbox: Pick<UsageOutbox, "reopen">;
  telemetry: BillingTelemetry;
  log: Log;
};

/**
 * Handles `v1.billing.meter.error_report_triggered` and `v1.billing.meter.no_meter_found`: opens the reports again that the event
 * names. After a day the report function reads the hour's summary and sends the same event again. A repeat does no harm.
 */
export function uncountedUsage({ outbox, telemetry, log }: UncountedUsageDependencies) {
  return {
    async found(uncounted: PaymentEventDetails["uncounted"], event: { id: string; type: string }): Promise<void> {
      const codes = uncounted.map(({ code }) => code);
      log.problem("The payment provider did not count usage", { event_id: event.id, type: event.type, codes });
      telemetry.unbilled("not_counted", {});
      for (const identifier of new Set(uncounted.flatMap(({ identifiers }) => identifiers))) {
        const named = hourOfEvent(identifier);
        const isOurs = named !== undefined && (await outbox.reopen(identifier));
        const facts = { event_id: event.id, tenant_id: named?.tenantId, hour: named?.hour };
        if (isOurs) log.info("a usage report is open again", facts);
        else log.problem("Usage that was not counted is no report of this stack", { event_id: event.id });
      }
    },
  };
}

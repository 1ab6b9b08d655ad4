// Usage that the payment provider took and cannot count. It names samples only; all others are found by the look at the
// summary, which every report gets.

import type { BillingTelemetry } from "../billing/billing-telemetry.ts";
import type { PaymentEventDetails } from "../billing/payment-event.ts";
import type { Log } from "../kernel/log.ts";
import { hourOfEvent, type UsageOutbox } from "./usage-outbox.ts";

export type DoubtedUsageDependencies = {
  outbox: Pick<UsageOutbox, "doubt">;
  telemetry: BillingTelemetry;
  log: Log;
};

/**
 * What `v1.billing.meter.error_report_triggered` and `v1.billing.meter.no_meter_found` lead to: the reports that they name are in
 * doubt again. After a day the hour's summary is read, and the same event is sent again. Twice does no harm.
 */
export function doubtedUsage({ outbox, telemetry, log }: DoubtedUsageDependencies) {
  return {
    async found(uncounted: PaymentEventDetails["uncounted"], event: { id: string; type: string }): Promise<void> {
      const codes = uncounted.map(({ code }) => code);
      log.problem("The payment provider did not count usage", { event_id: event.id, type: event.type, codes });
      telemetry.unbilled("not_counted", {});
      for (const identifier of new Set(uncounted.flatMap(({ identifiers }) => identifiers))) {
        const named = hourOfEvent(identifier);
        const isOurs = named !== undefined && (await outbox.doubt(identifier));
        const facts = { event_id: event.id, tenant_id: named?.tenantId, hour: named?.hour };
        if (isOurs) log.info("usage is in doubt again", facts);
        else log.problem("Usage that was not counted is no report of this stack", { event_id: event.id });
      }
    },
  };
}

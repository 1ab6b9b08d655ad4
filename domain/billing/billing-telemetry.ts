// Telemetry of the billing: each call reports usage that is not billed as it should be, and raises an alarm.

/**
 * `difference`: a day after the report, the provider shows another quantity. `too_old`: the usage is older than the provider takes. `ended`: the subscription has ended. `not_counted`: the provider said that it did not count an event. `overpaid`: a
 * correction came after the workspace's last invoice, so that its owner has paid too much. `customer_deleted`: somebody deleted the
 * owner's customer at the provider. `not_final`: an invoice stays a draft, which cannot be paid. `untaxed`: an invoice is about
 * to become final without the tax that it should have.
 */
export type UnbilledReason =
  | "difference"
  | "too_old"
  | "ended"
  | "not_counted"
  | "overpaid"
  | "customer_deleted"
  | "not_final"
  | "untaxed";

export interface BillingTelemetry {
  unbilled(
    reason: UnbilledReason,
    facts: {
      tenant_id?: string;
      hour?: string;
      quantity?: number;
      seen?: number;
      reports?: number;
      invoice_id?: string;
    },
  ): void;
}

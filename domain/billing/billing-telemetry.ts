// What the billing says to its operators: usage that is not billed as it should be. Each raises an alarm.

/**
 * `difference`: the provider shows another quantity than was reported, for a day. `too_old`: past the days in which usage can be
 * reported. `ended`: the subscription has ended. `not_counted`: the provider said that it did not count an event. `overpaid`: a
 * correction came after the workspace's last usage and its invoice, so that its owner has paid too much. `customer_deleted`: the owner
 * is no customer of the provider any more. `not_final`: an invoice stays a draft, which nobody pays. `untaxed`: an invoice is about
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

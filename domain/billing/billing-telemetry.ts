// Telemetry of the billing: each call reports usage that is not billed as it should be, and raises an alarm.

/**
 * `difference`: a final invoice bills another quantity (`seen`) than the ledger has (`quantity`); the next total has the difference.
 * `no_subscription`: a workspace has used something and has no subscription yet. `ended`: its subscription has ended, or some of
 * its hours could not be closed before its last invoice. `not_counted`: the provider said that it did not count an event.
 * `overpaid`: a correction came after the workspace's last invoice, so that its owner has paid too much. `customer_deleted`: somebody
 * deleted the owner's customer at the provider. `not_final`: an invoice stays a draft, which cannot be paid. `untaxed`: an invoice is
 * about to become final without the tax that it should have. `disputed`: a bank takes a payment back, or may do so.
 * `debt_left`: an owner left with open invoices, whose customer is deleted.
 */
export type UnbilledReason =
  | "difference"
  | "no_subscription"
  | "ended"
  | "not_counted"
  | "overpaid"
  | "customer_deleted"
  | "not_final"
  | "untaxed"
  | "disputed"
  | "debt_left";

export interface BillingTelemetry {
  unbilled(
    reason: UnbilledReason,
    facts: {
      tenant_id?: string;
      quantity?: number;
      seen?: number;
      invoice_id?: string;
    },
  ): void;
}

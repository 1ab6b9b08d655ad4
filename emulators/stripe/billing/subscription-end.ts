// The end of a subscription, by the API or in the dashboard.
import type { Account } from "../account.ts";
import type { Invoice, Subscription } from "../objects.ts";

export function runningSubscriptions(account: Account, customer: string): Subscription[] {
  return account.subscriptions.all().filter((one) => one.customer === customer && one.ended_at === null);
}

/**
 * Ends a subscription at once. Usage without an invoice is lost, and the collection of all open invoices of the customer stops
 * (docs.stripe.com/api/subscriptions/cancel). The SDK has a reason `subscription_canceled` of invoices that are written off
 * (Invoice.status_details), and no page says of which.
 */
export function endSubscription(account: Account, subscription: Subscription): Subscription {
  const now = account.now();
  const ended = account.putSubscription({ ...subscription, status: "canceled", ended_at: now });
  for (const invoice of account.invoices.all()) {
    if (invoice.customer !== subscription.customer || invoice.status !== "open") continue;
    const stopped = account.putInvoice({ ...invoice, auto_advance: false, next_payment_attempt: null });
    if (account.settings.cancel_makes_others === "uncollectible") writeOff(account, stopped);
  }
  account.emit("customer.subscription.deleted", ended);
  return ended;
}

function writeOff(account: Account, invoice: Invoice): void {
  const status_details = { uncollectible: { reason: "subscription_canceled" } } as const;
  const written = account.putInvoice({ ...invoice, status: "uncollectible", status_details });
  account.emit("invoice.marked_uncollectible", written);
}

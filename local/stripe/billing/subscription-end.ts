// The end of a subscription, by the API or in the dashboard.
import type { Account } from "../account.ts";
import type { Subscription } from "../objects.ts";

export function runningSubscriptions(account: Account, customer: string): Subscription[] {
  return account.subscriptions.all().filter((one) => one.customer === customer && one.ended_at === null);
}

/**
 * Ends a subscription at once. Usage without an invoice is lost, and the collection of all open invoices of the customer stops
 * (docs.stripe.com/api/subscriptions/cancel).
 */
export function endSubscription(account: Account, subscription: Subscription): Subscription {
  const now = account.now();
  const ended = account.putSubscription({ ...subscription, status: "canceled", ended_at: now });
  for (const invoice of account.invoices.all()) {
    if (invoice.customer !== subscription.customer || invoice.status !== "open") continue;
    account.putInvoice({ ...invoice, auto_advance: false, next_payment_attempt: null });
  }
  account.emit("customer.subscription.deleted", ended);
  return ended;
}

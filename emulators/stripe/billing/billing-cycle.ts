// Brings the account up to the clock: what is due is processed in order, each as of its own time.
import type { Account } from "../account.ts";
import { expireSession } from "../checkout.ts";
import type { Subscription } from "../objects.ts";
import { known } from "../refusal.ts";
import { attempt, finalize, settleDebit } from "./collection.ts";
import { hasUsage, makeDraft } from "./drafts.ts";
import { nextMonth } from "./new-subscription.ts";

export function catchUp(account: Account): void {
  account.catchUp((key) => {
    const [kind, id = ""] = key.split(" ");
    const subscription = kind === "subscription" ? account.subscriptions.get(id) : undefined;
    const invoice = kind === "invoice" ? account.invoices.get(id) : undefined;
    const session = kind === "checkout" ? account.checkoutSessions.get(id) : undefined;
    if (subscription) closePeriod(account, subscription);
    if (invoice?.status === "draft") finalize(account, invoice);
    if (invoice?.status === "open") attempt(account, invoice);
    if (kind === "debit") settleDebit(account, known(account.debits.get(id), "payment_intent", id));
    if (session) expireSession(account, session);
  });
}

/** Makes the draft of a period that ended, and begins the next period. */
function closePeriod(account: Account, subscription: Subscription): void {
  const [item] = subscription.items.data;
  if (!item) return;
  const { current_period_start: start, current_period_end: end } = item;
  const next = { current_period_start: end, current_period_end: nextMonth(end) };
  const data = subscription.items.data.map((one) => ({ ...one, ...next }));
  const renewed = { ...subscription, items: { ...subscription.items, data } };
  const period = { start, end };
  if (account.settings.drafts_without_usage || hasUsage(account, renewed, period))
    makeDraft(account, renewed, period, true);
  else account.putSubscription(renewed);
  account.emit("customer.subscription.updated", renewed);
}

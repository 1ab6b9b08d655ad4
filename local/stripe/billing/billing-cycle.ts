// Brings the account up to the clock: due entries of the agenda are processed in order, each as of its own time.
import type { Account } from "../account.ts";
import { expireSession } from "../checkout.ts";
import type { Subscription } from "../objects.ts";
import { nextAnchor } from "./calendar.ts";
import { attempt, finalize } from "./collection.ts";
import { makeDraft } from "./drafts.ts";
import { anchorOf } from "./new-subscription.ts";

export function catchUp(account: Account): void {
  for (;;) {
    const due = account.agenda.next(account.now());
    if (!due) return;
    account.agenda.set(due.key, null);
    account.asOf(due.at, () => act(account, due.key));
  }
}

function act(account: Account, key: string): void {
  const [kind, id = ""] = key.split(" ");
  if (kind === "subscription") {
    const subscription = account.subscriptions.get(id);
    if (subscription) closePeriod(account, subscription);
  }
  if (kind === "invoice") {
    const invoice = account.invoices.get(id);
    if (invoice?.status === "draft") finalize(account, invoice);
    else if (invoice?.status === "open") attempt(account, invoice);
  }
  if (kind === "checkout") {
    const session = account.checkoutSessions.get(id);
    if (session) expireSession(account, session);
  }
}

/** Makes the draft of a period that ended, and begins the next period. */
function closePeriod(account: Account, subscription: Subscription): void {
  const [item] = subscription.items.data;
  if (!item) return;
  const period = { start: item.current_period_start, end: item.current_period_end };
  const next = nextAnchor(anchorOf(subscription), period.end);
  const data = subscription.items.data.map((one) => ({
    ...one,
    current_period_start: period.end,
    current_period_end: next,
  }));
  const renewed = { ...subscription, items: { ...subscription.items, data } };
  makeDraft(account, renewed, period, true);
  account.emit("customer.subscription.updated", account.subscriptions.get(subscription.id) ?? renewed);
}

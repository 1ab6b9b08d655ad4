// The dashboard, with the two acts of an operator that harm the platform: a customer is deleted, or a subscription is cancelled at once and
// without an invoice.
import type { Account } from "../account.ts";
import { endSubscription, runningSubscriptions } from "../billing/subscription-end.ts";
import { deleteCustomer } from "../customers.ts";
import { form, html, type Shown } from "./page.ts";

export function showDashboard(account: Account): Shown {
  const living = account.customers.all().filter(({ deleted }) => !deleted);
  const content = living.map(({ id, customer: { email } }) => {
    const rows = runningSubscriptions(account, id).map(
      (one) =>
        html`<li>${one.id}: ${one.items.data[0]?.price.lookup_key}, ${one.status}${form("Cancel", { action: "cancel", id: one.id })}</li>`,
    );
    return html`<h2>${email ?? id}</h2>
<ul>${rows}</ul>
${form("Delete customer", { action: "delete", id })}`;
  });
  return { title: "Customers", content };
}

export function postDashboard(account: Account, _: string, sent: URLSearchParams): string {
  const id = sent.get("id") ?? "";
  const subscription = account.subscriptions.get(id);
  if (sent.get("action") === "delete") deleteCustomer(account, id);
  else if (subscription?.ended_at === null) endSubscription(account, subscription);
  return `${account.pagesUrl}/dashboard`;
}

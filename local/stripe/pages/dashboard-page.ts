// The dashboard, with the two acts of an operator that harm the platform: a customer is deleted, or a subscription is cancelled at once and
// without an invoice.
import type { Account } from "../account.ts";
import { endSubscription, runningSubscriptions } from "../billing/subscription-end.ts";
import { deleteCustomer } from "../customers.ts";
import type { Customer } from "../objects.ts";
import { StripeRefusal } from "../refusal.ts";
import { html, type PageAnswer, page, problem, redirect } from "./page.ts";

export function showDashboard(account: Account): PageAnswer {
  return overview(account, 200);
}

export function postDashboard(account: Account, _: string, form: URLSearchParams): PageAnswer {
  const id = form.get("id") ?? "";
  const subscription = account.subscriptions.get(id);
  try {
    if (form.get("action") === "delete") deleteCustomer(account, id);
    else if (subscription?.ended_at === null) endSubscription(account, subscription);
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    return overview(account, error.status, error.message);
  }
  return redirect(`${account.pagesUrl}/dashboard`);
}

function overview(account: Account, status: number, wrong?: string): PageAnswer {
  const living = account.customers.all().filter(({ deleted }) => !deleted);
  const rows = living.map(({ customer }) => section(account, customer));
  return page(status, "Customers", html`${problem(wrong)}${rows}`);
}

function section(account: Account, { id, email }: Customer) {
  const button = (of: string, action: string, text: string) =>
    html`<form method="post"><input type="hidden" name="id" value="${of}"><button name="action" value="${action}">${text}</button></form>`;
  const subscriptions = runningSubscriptions(account, id).map(
    (one) =>
      html`<li>${one.id}: ${one.items.data[0]?.price.lookup_key}, ${one.status}${button(one.id, "cancel", "Cancel")}</li>`,
  );
  return html`<h2>${email ?? id}</h2>
<ul>${subscriptions}</ul>
${button(id, "delete", "Delete customer")}`;
}

// The page of the portal: the cards and the invoices of a customer, if the configuration shows them.
import type { Account } from "../account.ts";
import { counted } from "../billing/drafts.ts";
import type { PaymentMethod, PortalConfiguration, PortalSession } from "../objects.ts";
import { attachCard, attachedTo, detach } from "../payment-methods.ts";
import { invalidRequest, missing, StripeRefusal } from "../refusal.ts";
import { cardFields, html, type PageAnswer, page, problem, readCard, redirect } from "./page.ts";

/** A session must be opened within five minutes and then lasts an hour (docs.stripe.com/api/customer_portal/sessions). */
const unopenedSeconds = 300;
const openedSeconds = 3_600;

export function showPortal(account: Account, id: string): PageAnswer {
  return overview(account, sessionById(account, id), 200);
}

export function postPortal(account: Account, id: string, form: URLSearchParams): PageAnswer {
  const session = sessionById(account, id);
  try {
    act(account, session, form);
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    return overview(account, session, error.status, error.message);
  }
  return redirect(`${account.pagesUrl}/p/session/${id}`);
}

function act(account: Account, session: PortalSession, form: URLSearchParams): void {
  if (!configurationOf(account, session).features.payment_method_update.enabled) {
    throw invalidRequest("This portal does not change payment methods.");
  }
  const action = form.get("action");
  if (action === "add") {
    const card = readCard(form, false);
    if (typeof card === "string") throw invalidRequest(card);
    // A card that is added in the portal becomes the default (docs.stripe.com/customer-management).
    makeDefault(account, session.customer, attachCard(account, session.customer, card));
    return;
  }
  const method = attachedTo(account, session.customer).find((one) => one.id === form.get("method"));
  if (!method) throw invalidRequest("This payment method is not there any more.");
  if (action === "default") makeDefault(account, session.customer, method);
  if (action === "remove") detach(account, method);
}

function makeDefault(account: Account, id: string, { id: method }: PaymentMethod): void {
  const customer = account.customer(id);
  const invoice_settings = { ...customer.invoice_settings, default_payment_method: method };
  account.emit("customer.updated", account.putCustomer({ ...customer, invoice_settings }));
}

function overview(account: Account, session: PortalSession, status: number, wrong?: string): PageAnswer {
  const { features } = configurationOf(account, session);
  const back = session.return_url ? html`<nav><a href="${session.return_url}">Return</a></nav>` : "";
  const content = html`${problem(wrong)}
${features.payment_method_update.enabled ? cards(account, session.customer) : ""}
${features.invoice_history.enabled ? history(account, session.customer) : ""}
${back}`;
  return page(status, "Billing", content);
}

function cards(account: Account, customer: string) {
  const standard = account.customer(customer).invoice_settings.default_payment_method;
  const button = (method: string, action: string, text: string) =>
    html`<form method="post"><input type="hidden" name="method" value="${method}"><button name="action" value="${action}">${text}</button></form>`;
  const rows = attachedTo(account, customer).map(
    ({ id, card }) =>
      html`<li>${card?.brand} ending in ${card?.last4}${id === standard ? " (default)" : button(id, "default", "Make default")}${button(id, "remove", "Remove")}</li>`,
  );
  return html`<h2>Payment methods</h2>
<ul>${rows}</ul>
<details><summary>Add a payment method</summary>
<form method="post">
${cardFields(false)}
<button name="action" value="add">Add</button>
</form></details>`;
}

function history(account: Account, customer: string) {
  const rows = account.invoices
    .all()
    .filter((invoice) => invoice.customer === customer && invoice.status !== "draft")
    .map((invoice) => counted(account, invoice))
    .toReversed()
    .map(
      ({ id, created, total, currency, status }) =>
        html`<li><a href="${account.pagesUrl}/i/${id}">${new Date(created * 1000).toISOString().slice(0, 10)}</a> ${(total / 100).toFixed(2)} ${currency.toUpperCase()} ${status}</li>`,
    );
  return html`<h2>Invoices</h2>
<ul>${rows}</ul>`;
}

function configurationOf(account: Account, { configuration }: PortalSession): PortalConfiguration {
  const found = account.configurations.get(String(configuration));
  if (!found) throw missing("configuration", String(configuration));
  return found;
}

function sessionById(account: Account, id: string): PortalSession {
  const session = account.portalSessions.get(id);
  const opened = account.store.collection<{ at: number }>("stripe-portal-opened");
  const at = opened.get(id)?.at;
  const ends = at === undefined ? (session?.created ?? 0) + unopenedSeconds : at + openedSeconds;
  if (!session || account.now() > ends) throw missing("billing_portal.session", id);
  if (at === undefined) opened.put(id, { at: account.now() });
  return session;
}

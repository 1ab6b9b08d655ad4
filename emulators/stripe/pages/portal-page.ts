// The page of the portal: the cards and the invoices of a customer, if the configuration shows them.
import type { Account } from "../account.ts";
import { counted } from "../billing/drafts.ts";
import type { PaymentMethod, PortalSession } from "../objects.ts";
import { attachCard, attachedTo, detach } from "../payment-methods.ts";
import { invalidRequest, known } from "../refusal.ts";
import { cardFields, readCard } from "./card-form.ts";
import { form, html, link, money, type Shown } from "./page.ts";

/** A session must be opened within five minutes and then lasts an hour (docs.stripe.com/api/customer_portal/sessions). */
const unopenedSeconds = 300;
const openedSeconds = 3_600;

export function showPortal(account: Account, id: string): Shown {
  const session = openedSession(account, id);
  const { payment_method_update, invoice_history } = featuresOf(account, session);
  const content = [
    payment_method_update.enabled ? cards(account, session.customer) : "",
    invoice_history.enabled ? history(account, session.customer) : "",
    link(session.return_url, "Return"),
  ];
  return { title: "Billing", content };
}

export function postPortal(account: Account, id: string, sent: URLSearchParams): string {
  const session = openedSession(account, id);
  const { customer } = session;
  if (!featuresOf(account, session).payment_method_update.enabled)
    throw invalidRequest("This portal does not change payment methods.");
  const action = sent.get("action");
  // A card that is added in the portal becomes the default (docs.stripe.com/customer-management).
  if (action === "add") makeDefault(account, customer, attachCard(account, customer, readCard(sent, false)));
  else {
    const method = attachedTo(account, customer).find((one) => one.id === sent.get("method"));
    if (!method) throw invalidRequest("This payment method is not there any more.");
    if (action === "default") makeDefault(account, customer, method);
    if (action === "remove") detach(account, method);
  }
  return `${account.pagesUrl}/p/session/${id}`;
}

function makeDefault(account: Account, id: string, { id: method }: PaymentMethod): void {
  const customer = account.customer(id);
  const invoice_settings = { ...customer.invoice_settings, default_payment_method: method };
  account.emit("customer.updated", account.putCustomer({ ...customer, invoice_settings }));
}

function cards(account: Account, customer: string) {
  const standard = account.customer(customer).invoice_settings.default_payment_method;
  const rows = attachedTo(account, customer).map(
    ({ id, card }) =>
      html`<li>${card?.brand} ending in ${card?.last4}${id === standard ? " (default)" : form("Make default", { action: "default", method: id })}${form("Remove", { action: "remove", method: id })}</li>`,
  );
  return html`<h2>Payment methods</h2>
<ul>${rows}</ul>
<details><summary>Add a payment method</summary>
${form("Add", { action: "add" }, cardFields(false))}</details>`;
}

function history(account: Account, customer: string) {
  const own = account.invoices.all().filter((one) => one.customer === customer && one.status !== "draft");
  const rows = own.toReversed().map((one) => {
    const { id, created, total, currency, status } = counted(account, one);
    const day = new Date(created * 1000).toISOString().slice(0, 10);
    return html`<li><a href="${account.pagesUrl}/i/${id}">${day}</a> ${money(total, currency)} ${status}</li>`;
  });
  return html`<h2>Invoices</h2>
<ul>${rows}</ul>`;
}

function featuresOf(account: Account, { configuration }: PortalSession) {
  return known(account.configurations.get(String(configuration)), "configuration", String(configuration)).features;
}

function openedSession(account: Account, id: string): PortalSession {
  const session = account.portalSessions.get(id);
  const opened = account.store.collection<number>("stripe-portal-opened");
  const at = opened.get(id);
  const ends = at === undefined ? (session?.created ?? 0) + unopenedSeconds : at + openedSeconds;
  if (at === undefined && session && account.now() <= ends) opened.put(id, account.now());
  return known(account.now() > ends ? undefined : session, "billing_portal.session", id);
}

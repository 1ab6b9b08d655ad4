// The page of Checkout in setup mode: a form for a card, and a link back.
import type { Account } from "../account.ts";
import { completeSession, sessionById } from "../checkout.ts";
import type { CheckoutSession } from "../objects.ts";
import { cardFields, readCard } from "./card-form.ts";
import { type Field, form, html, link, type Shown } from "./page.ts";

const needsAddress = ({ billing_address_collection }: CheckoutSession) => billing_address_collection === "required";

/** Checkout shows these fields once a person says that they buy as a business (docs.stripe.com/tax/checkout/tax-ids). */
const companyFields: Field[] = [
  { name: "company", label: "Business name", isOptional: true },
  { name: "tax_id", label: "Tax id", hint: "DE123456789", isOptional: true },
];

export function showCheckout(account: Account, id: string): Shown {
  const session = sessionById(account, id);
  if (session.status === "complete")
    return { status: 200, title: "You're all done here", content: html`<p>The payment method was saved.</p>` };
  if (session.status === "expired")
    return { status: 410, title: "This link has expired", content: html`<p>Ask for a new one.</p>` };
  const fields = [...cardFields(needsAddress(session)), ...(session.tax_id_collection?.enabled ? companyFields : [])];
  const content = [form("Save payment method", {}, fields), link(session.cancel_url, "Back")];
  return { title: "Add a payment method", content };
}

export function postCheckout(account: Account, id: string, sent: URLSearchParams): string {
  const session = sessionById(account, id);
  const company = { name: sent.get("company") ?? "", taxId: sent.get("tax_id") ?? "" };
  completeSession(account, session, readCard(sent, needsAddress(session)), company);
  return (session.success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", session.id);
}

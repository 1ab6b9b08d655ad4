// The page of Checkout in setup mode: a form for a card, and a link back.
import type { Account } from "../account.ts";
import { completeSession, sessionById } from "../checkout.ts";
import type { CheckoutSession } from "../objects.ts";
import { StripeRefusal } from "../refusal.ts";
import { cardFields, html, type PageAnswer, page, problem, readCard, redirect } from "./page.ts";

export function showCheckout(account: Account, id: string): PageAnswer {
  return form(sessionById(account, id), 200);
}

export function postCheckout(account: Account, id: string, sent: URLSearchParams): PageAnswer {
  const session = sessionById(account, id);
  const card = readCard(sent, needsAddress(session));
  const company = { name: sent.get("company") ?? "", taxId: sent.get("tax_id") ?? "" };
  if (typeof card === "string") return form(session, 400, card);
  try {
    completeSession(account, session, card, company);
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    return form(session, error.status, error.message);
  }
  return redirect((session.success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", session.id));
}

const needsAddress = ({ billing_address_collection }: CheckoutSession) => billing_address_collection === "required";

/** Checkout shows them once a person says that they buy as a business (docs.stripe.com/tax/checkout/tax-ids). */
const companyFields = html`<label for="company">Business name</label>
<input id="company" name="company" autocomplete="organization">
<label for="tax_id">Tax id</label>
<input id="tax_id" name="tax_id" placeholder="DE123456789">`;

function form(session: CheckoutSession, status: number, wrong?: string): PageAnswer {
  if (session.status === "complete")
    return page(200, "You're all done here", html`<p>The payment method was saved.</p>`);
  if (session.status === "expired") return page(410, "This link has expired", html`<p>Ask for a new one.</p>`);
  const back = session.cancel_url ? html`<nav><a href="${session.cancel_url}">Back</a></nav>` : "";
  const content = html`${problem(wrong)}
<form method="post">
${cardFields(needsAddress(session))}
${session.tax_id_collection?.enabled ? companyFields : ""}
<button type="submit">Save payment method</button>
</form>
${back}`;
  return page(status, "Add a payment method", content);
}

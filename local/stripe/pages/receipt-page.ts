// The page of a receipt.
import type { Account } from "../account.ts";
import { missing } from "../refusal.ts";
import { html, type PageAnswer, page } from "./page.ts";

export function showReceipt(account: Account, id: string): PageAnswer {
  const charge = account.charges.get(id);
  if (!charge) throw missing("charge", id);
  const paid = `${(charge.amount / 100).toFixed(2)} ${charge.currency.toUpperCase()}`;
  return page(200, "Receipt", html`<p>Paid ${paid}: ${charge.description}</p>`);
}

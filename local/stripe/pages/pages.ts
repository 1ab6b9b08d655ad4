// The routes of the pages: Checkout, the portal, an invoice and the dashboard, as plain HTML without JavaScript.
import type { ServerResponse } from "node:http";
import type { Account } from "../account.ts";
import { catchUp } from "../billing/billing-cycle.ts";
import { StripeRefusal } from "../refusal.ts";
import { postCheckout, showCheckout } from "./checkout-page.ts";
import { postDashboard, showDashboard } from "./dashboard-page.ts";
import { confirmPayment, showInvoice } from "./invoice-page.ts";
import { html, type PageAnswer, page } from "./page.ts";
import { postPortal, showPortal } from "./portal-page.ts";
import { showReceipt } from "./receipt-page.ts";

type PageRequest = { method: string; url: string; body: string };
type Handle = (account: Account, id: string, form: URLSearchParams) => PageAnswer;

const handlers: [pattern: RegExp, handle: Handle][] = [
  [/^GET \/c\/pay\/([^/]+)$/, showCheckout],
  [/^POST \/c\/pay\/([^/]+)$/, postCheckout],
  [/^GET \/p\/session\/([^/]+)$/, showPortal],
  [/^POST \/p\/session\/([^/]+)$/, postPortal],
  // Stripe sends a PDF for the second address.
  [/^GET \/i\/([^/]+?)(?:\/pdf)?$/, showInvoice],
  [/^POST \/i\/([^/]+)$/, confirmPayment],
  [/^GET \/r\/([^/]+)$/, showReceipt],
  [/^GET \/(?:dashboard)?$/, showDashboard],
  [/^POST \/(?:dashboard)?$/, postDashboard],
];

/** The policy allows the page and its style only. It sets no `form-action`, since a form redirects to an address of the platform. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export function servePage(account: Account, { method, url, body }: PageRequest, response: ServerResponse): void {
  catchUp(account);
  const { status, location, document } = answer(account, method, new URL(url, "http://stripe").pathname, body);
  response.writeHead(status, { ...headers, ...(location && { location }) });
  response.end(document);
}

function answer(account: Account, method: string, path: string, body: string): PageAnswer {
  for (const [pattern, handle] of handlers) {
    const match = pattern.exec(`${method} ${path}`);
    if (match) return refusalsShown(() => handle(account, match[1] ?? "", new URLSearchParams(body)));
  }
  return page(404, "There is no such page", html``);
}

function refusalsShown(handle: () => PageAnswer): PageAnswer {
  try {
    return handle();
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    return page(error.status, "This page is not available", html`<p role="alert">${error.message}</p>`);
  }
}
